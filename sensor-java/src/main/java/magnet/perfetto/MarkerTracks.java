// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.nio.ByteBuffer;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * Markers that programs write: an instant on the thread's track, and for those with a number an interval from each to the
 * next of the same number. For one thread.
 */
final class MarkerTracks {
    private static final int NUMBERS_MOST = 1_024;

    /** The last marker of a number. */
    private static final class Last {
        private final Lanes lanes;
        private long ns;
        private boolean known;

        Last(Lanes lanes) {
            this.lanes = lanes;
        }
    }

    private final PacketWriter packets;
    private final Groups groups;
    private final Threads threads;
    private final Bounded<Long, Last> last = new Bounded<>(NUMBERS_MOST);
    private long markers;

    MarkerTracks(PacketWriter packets, Groups groups, Threads threads) {
        this.packets = packets;
        this.groups = groups;
        this.threads = threads;
    }

    /** Markers so far. */
    long markers() {
        return markers;
    }

    void onRecord(RecordFlyweight record, int tid, long ns) {
        markers++;
        packets.annotations().with("cpu", record.cpu());
        packets.uniqueInstant(threads.track(tid, record.tgid()), text(record), ns);
        long number = record.abstractId();
        if (number != 0) {
            onNumber(number, tid, ns);
        }
    }

    /** What came between is not known. */
    void onLost() {
        last.values().forEach(each -> each.known = false);
    }

    private void onNumber(long number, int tid, long ns) {
        Last before = last.get(number);
        if (before == null) {
            before = new Last(groups.lanes(Group.MARKERS, "marker " + number, 0));
            last.put(number, before);
        } else if (before.known) {
            packets.annotations().with("thread", tid);
            before.lanes.slice("until the next one", before.ns, ns);
        }
        before.ns = ns;
        before.known = true;
    }

    private static String text(RecordFlyweight record) {
        int fixed = EventType.MARKER.payload().size();
        int length = (int) Math.min(record.payloadU32(Payload.MARKER_LEN_OFFSET), record.payloadSize() - fixed);
        byte[] bytes = new byte[length];
        ByteBuffer buffer = record.buffer();
        buffer.get(record.payloadOffset() + fixed, bytes);
        return Names.of(bytes).strip();
    }
}
