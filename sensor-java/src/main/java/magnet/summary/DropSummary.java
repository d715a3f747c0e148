// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import magnet.metric.DropReason;
import magnet.metric.MetricSnapshot;
import magnet.metric.NetworkMetrics;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/** Packets that are thrown away, by reason. Where the reasons have no names all are {@link DropReason#OTHER}. */
final class DropSummary implements Handler {
    /** Kernels have less than a hundred. */
    private static final int KNOWN_NUMBERS = 1_024;

    private final WindowedCount all;
    private final Map<DropReason, WindowedCount> byKind = new EnumMap<>(DropReason.class);
    private final WindowedCount other;
    /** The count of its kind, by the kernel's number. */
    private final WindowedCount[] byNumber = new WindowedCount[KNOWN_NUMBERS];

    DropSummary(int slots, Machine machine) {
        this.all = new WindowedCount(slots);
        this.other = new WindowedCount(slots);
        for (DropReason kind : DropReason.values()) {
            byKind.put(kind, kind == DropReason.OTHER ? other : new WindowedCount(slots));
        }
        Arrays.fill(byNumber, other);
        for (Map.Entry<Integer, String> reason : machine.dropReasons().entrySet()) {
            if (reason.getKey() >= 0 && reason.getKey() < KNOWN_NUMBERS) {
                byNumber[reason.getKey()] = byKind.getOrDefault(DropReason.ofKernelName(reason.getValue()), other);
            }
        }
    }

    @Override
    public Set<EventType> events() {
        return Set.of(EventType.KFREE_SKB);
    }

    @Override
    public void onRecord(EventType type, RecordFlyweight record) {
        long reason = record.payloadU32(Payload.DROP_REASON_OFFSET);
        all.increment();
        (reason < KNOWN_NUMBERS ? byNumber[(int) reason] : other).increment();
    }

    @Override
    public void put(MetricSnapshot.Builder snapshot) {
        snapshot.putRate(NetworkMetrics.DROPS, all.sum());
        byKind.forEach((kind, count) -> snapshot.putRate(kind.metric(), count.sum()));
    }

    @Override
    public void advance() {
        all.advance();
        byKind.values().forEach(WindowedCount::advance);
    }
}
