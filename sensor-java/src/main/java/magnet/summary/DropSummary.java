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

/** Packets that are thrown away, and by reason where the reasons have names. */
final class DropSummary extends BuiltInHandler {
    /** Kernels have less than a hundred. */
    private static final int KNOWN_NUMBERS = 1_024;

    private final WindowedCount all;
    private final Map<DropReason, WindowedCount> byKind = new EnumMap<>(DropReason.class);
    private final WindowedCount other;
    private final boolean named;
    /** The count of its kind, by the kernel's number. */
    private final WindowedCount[] byNumber = new WindowedCount[KNOWN_NUMBERS];

    DropSummary(int slots, Machine machine) {
        this.all = new WindowedCount(slots);
        this.other = new WindowedCount(slots);
        this.named = !machine.dropReasons().isEmpty();
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
    Set<EventType> events() {
        return Set.of(EventType.KFREE_SKB);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        long reason = record.payloadU32(Payload.DROP_REASON_OFFSET);
        all.increment();
        (reason < KNOWN_NUMBERS ? byNumber[(int) reason] : other).increment();
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        snapshot.putRate(NetworkMetrics.DROPS, all.sum());
        if (named) {
            byKind.forEach((kind, count) -> snapshot.putRate(kind.metric(), count.sum()));
        }
    }

    @Override
    public void advance() {
        all.advance();
        byKind.values().forEach(WindowedCount::advance);
    }
}
