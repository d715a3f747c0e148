// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.nio.ByteBuffer;
import magnet.record.RecordFlyweight;
import magnet.trace.EventField;

/**
 * Takes one number out of a record, in place. Of a field with a sign it is extended by it, of others by zeros, as bpftrace
 * does. Allocates nothing.
 */
@FunctionalInterface
interface RecordValue {
    long NANOS_PER_MILLI = 1_000_000;

    /** The number in a record that is long enough for it. */
    long in(RecordFlyweight record);

    /** A field of the payload that is a number. */
    static RecordValue of(EventField field) {
        int at = field.offset();
        boolean signed = field.isSigned();
        return switch (field.size()) {
            case Byte.BYTES ->
                signed
                        ? record -> record.buffer().get(record.payloadOffset() + at)
                        : record -> record.buffer().get(record.payloadOffset() + at) & 0xff;
            case Short.BYTES ->
                signed
                        ? record -> record.buffer().getShort(record.payloadOffset() + at)
                        : record -> record.payloadU16(at);
            case Integer.BYTES ->
                signed
                        ? record -> record.buffer().getInt(record.payloadOffset() + at)
                        : record -> record.payloadU32(at);
            default -> record -> record.payloadU64(at);
        };
    }

    /** The number of a field that is a text, up to its first NUL. */
    static RecordValue of(EventField text, BytePool pool) {
        int at = text.offset();
        int size = text.size();
        return record -> {
            ByteBuffer buffer = record.buffer();
            int from = record.payloadOffset() + at;
            int length = 0;
            while (length < size && buffer.get(from + length) != 0) {
                length++;
            }
            return pool.numberOf(buffer, from, length);
        };
    }

    /**
     * A time in nanoseconds.
     *
     * @param ticks the same in ticks of the records' timer
     * @param ticksPerMilli its nominal frequency
     */
    static RecordValue nanos(RecordValue ticks, long ticksPerMilli) {
        return record -> {
            long value = ticks.in(record);
            return value / ticksPerMilli * NANOS_PER_MILLI + value % ticksPerMilli * NANOS_PER_MILLI / ticksPerMilli;
        };
    }
}
