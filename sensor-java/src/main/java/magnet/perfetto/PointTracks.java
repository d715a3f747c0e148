// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import magnet.record.RecordFlyweight;
import magnet.trace.EventField;
import magnet.trace.EventFormat;

/**
 * Events that have no fixed id, of dynamic points and other modules: an instant on the thread's track, with its fields; of
 * a return point a slice as long as the function took. For one thread.
 */
final class PointTracks {
    private static final String LATENCY = "latency";

    private final PacketWriter packets;
    private final Threads threads;
    private final TraceTime time;

    PointTracks(PacketWriter packets, Threads threads, TraceTime time) {
        this.packets = packets;
        this.threads = threads;
        this.time = time;
    }

    void onRecord(EventFormat format, RecordFlyweight record, int tid, long ns) {
        if (record.payloadSize() < format.size()) {
            return;
        }
        List<EventField> fields = format.fields();
        boolean returns = !fields.isEmpty() && isLatency(fields.get(0));
        Annotations annotations = packets.annotations().with("cpu", record.cpu());
        for (EventField field : returns ? fields.subList(1, fields.size()) : fields) {
            if (field.isText()) {
                annotations.with(Names.ofBytes(field.name()), text(field, record));
            } else {
                annotations.with(Names.ofBytes(field.name()), number(field, record));
            }
        }
        long track = threads.track(tid, record.tgid());
        String name = Names.ofBytes(format.name());
        if (returns) {
            packets.slice(track, name, Math.min(ns, time.ns(record.timer() - record.payloadU64(0))), ns);
        } else {
            packets.instant(track, name, ns);
        }
    }

    private static boolean isLatency(EventField field) {
        return field.offset() == 0 && field.name().equals(LATENCY) && field.size() == Long.BYTES;
    }

    private static long number(EventField field, RecordFlyweight record) {
        ByteBuffer buffer = record.buffer();
        int at = record.payloadOffset() + field.offset();
        return switch (field.size()) {
            case Byte.BYTES -> field.isSigned() ? buffer.get(at) : Byte.toUnsignedLong(buffer.get(at));
            case Short.BYTES -> field.isSigned() ? buffer.getShort(at) : Short.toUnsignedLong(buffer.getShort(at));
            case Integer.BYTES -> field.isSigned() ? buffer.getInt(at) : Integer.toUnsignedLong(buffer.getInt(at));
            default -> buffer.getLong(at);
        };
    }

    /** Up to its first zero byte. */
    private static String text(EventField field, RecordFlyweight record) {
        byte[] bytes = new byte[field.size()];
        record.buffer().get(record.payloadOffset() + field.offset(), bytes);
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return Names.of(Arrays.copyOf(bytes, length));
    }
}
