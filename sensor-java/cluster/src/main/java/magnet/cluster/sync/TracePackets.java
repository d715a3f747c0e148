// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.Optional;
import magnet.cluster.recording.Progress;
import magnet.os.ClockQuality;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.trace.TraceClock;
import org.jspecify.annotations.Nullable;

/**
 * Puts the packets of a node's trace into the table: those that it gave to a device to be sent, and those that a device gave
 * it. What comes after the timer jumped is left out. Allocates nothing per record. For one trace.
 */
final class TracePackets implements RecordHandler {
    private static final int SEND = EventType.NET_DEV_START_XMIT.id();
    private static final int RECEIVE = EventType.NETIF_RECEIVE_SKB.id();
    private static final int CLOCK = EventType.CLOCK.id();
    private static final String MONOTONIC = "CLOCK_MONOTONIC";

    private final int node;
    private final TraceClock clock;
    private final PacketTable table;
    private final LeftOutCounts leftOut;
    private final PacketKey key = new PacketKey();
    private long packets;
    private boolean jumped;
    private boolean any;
    private long firstTimer;
    private long lastTimer;
    private boolean anyClock;
    private long firstClockNs;
    private long firstMonotonicNs;
    private long lastClockNs;
    private long lastMonotonicNs;

    /** @param node number of the node */
    TracePackets(int node, TraceClock clock, PacketTable table, LeftOutCounts leftOut) {
        this.node = node;
        this.clock = clock;
        this.table = table;
        this.leftOut = leftOut;
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int event = record.event();
        if (!jumped) {
            noteTime(record, event);
        }
        if (event != SEND && event != RECEIVE) {
            return;
        }
        packets++;
        if (jumped) {
            leftOut.add(LeftOut.AFTER_JUMP);
            return;
        }
        LeftOut why = key(key, record);
        if (why != null) {
            leftOut.add(why);
            return;
        }
        int device = (int) record.payloadU32(Payload.PACKET_IFINDEX_OFFSET);
        table.add(key.value(), node, event == SEND, device, clock.realtimeNs(record.timer()));
    }

    /** Reads the packet of a record into a key; returns why there is none, or null. */
    static @Nullable LeftOut key(PacketKey key, RecordFlyweight record) {
        int room = record.payloadSize() - Payload.PACKET.size();
        int captured = Math.min(record.payloadU16(Payload.PACKET_CAPTURED_OFFSET), room);
        return key.read(
                record.buffer(),
                record.payloadOffset() + Payload.PACKET.size(),
                captured,
                record.payloadU32(Payload.PACKET_NETWORK_LEN_OFFSET));
    }

    private void noteTime(RecordFlyweight record, int event) {
        long timer = record.timer();
        if (!any) {
            any = true;
            firstTimer = timer;
        }
        lastTimer = timer;
        if (event == CLOCK) {
            noteClock(clock.realtimeNs(timer), record.payloadU64(Payload.CLOCK_MONOTONIC_NS_OFFSET));
        }
    }

    private void noteClock(long traceNs, long monotonicNs) {
        if (!anyClock) {
            anyClock = true;
            firstClockNs = traceNs;
            firstMonotonicNs = monotonicNs;
        }
        lastClockNs = traceNs;
        lastMonotonicNs = monotonicNs;
    }

    @Override
    public void onNewEpoch(int cpus) {
        jumped = true;
    }

    @Override
    public void onGap(int cpu) {
        // What was lost would have been one packet more.
    }

    /** Records of packets, also those that were left out. */
    long packets() {
        return packets;
    }

    /**
     * What is known beside the packets.
     *
     * @param progress how the recording went, if anybody says it
     */
    NodeTrace trace(String name, Optional<Progress> progress) {
        long from = clock.realtimeNs(firstTimer);
        long to = Math.max(from + 1, clock.realtimeNs(lastTimer));
        return new NodeTrace(name, clock, from, to, progress.flatMap(this::wall));
    }

    private Optional<WallRate> wall(Progress progress) {
        if (!WallRate.wasDisciplined(progress)) {
            return Optional.empty();
        }
        if (clock.description().equals(MONOTONIC)) {
            return Optional.of(WallRate.ofMonotonic());
        }
        ClockQuality begin = progress.begin().orElseThrow();
        ClockQuality end = progress.end().orElseThrow();
        return WallRate.ofClockRecords(lastClockNs - firstClockNs, lastMonotonicNs - firstMonotonicNs)
                .or(() -> Optional.of(WallRate.ofCorrections(begin, end)));
    }
}
