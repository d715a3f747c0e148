// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.nio.ByteBuffer;
import java.util.Arrays;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;

/** Finds the records of a batch again, by their places: CPU and offset in that CPU's buffer. For one thread. */
final class Batch {
    private static final int CPU_SHIFT = Integer.SIZE;

    private final EventType[] types;
    private ByteBuffer[] buffers = {};
    private RecordFlyweight record = new RecordFlyweight(RecordLayout.WIDE);

    /** @param types by id; those of all records that are asked for */
    Batch(EventType[] types) {
        this.types = types;
    }

    /** Whether the record lies where this batch looks for records of its CPU; if not, {@link #lookAt} has to say so. */
    @SuppressWarnings("ReferenceEquality") // buffers are equal when what they have is
    boolean covers(RecordFlyweight other) {
        int cpu = other.cpu();
        return cpu < buffers.length && buffers[cpu] == other.buffer() && record.layout() == other.layout();
    }

    /** Looks for records of this one's CPU in its buffer from now on. No place that was given before may be asked for then. */
    void lookAt(RecordFlyweight other) {
        int cpu = other.cpu();
        if (cpu >= buffers.length) {
            buffers = Arrays.copyOf(buffers, Math.max(cpu + 1, 2 * buffers.length));
        }
        buffers[cpu] = other.buffer();
        if (record.layout() != other.layout()) {
            record = new RecordFlyweight(other.layout());
        }
    }

    static long place(RecordFlyweight other) {
        return (long) other.cpu() << CPU_SHIFT | other.offset();
    }

    /** The record at a place; valid until the next call. */
    RecordFlyweight at(long place) {
        return record.wrap(buffers[(int) (place >>> CPU_SHIFT)], (int) place);
    }

    EventType type(RecordFlyweight other) {
        return types[other.event()];
    }
}
