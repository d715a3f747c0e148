// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.util.List;
import java.util.OptionalLong;

/**
 * A buffer of the module.
 *
 * @param name its name
 * @param size bytes per CPU
 * @param persistent whether it outlives the socket that made it
 * @param flightRecorder whether the newest events overwrite the oldest
 * @param owner port id of that socket; empty if persistent
 * @param subscriptions how many log to it
 * @param mergedLate records that {@code merged} returned after a younger one
 * @param rings what went through, by CPU; empty in the answer to its making
 */
public record BufferInfo(
        String name,
        long size,
        boolean persistent,
        boolean flightRecorder,
        OptionalLong owner,
        int subscriptions,
        long mergedLate,
        List<RingCounts> rings) {
    public BufferInfo {
        rings = List.copyOf(rings);
    }

    /** Bytes that wait for a reader, on all CPUs. */
    public long unread() {
        return rings.stream().mapToLong(this::unread).sum();
    }

    /** The same of one ring: its two counts are read one after the other, and what was overwritten was never read. */
    public long unread(RingCounts ring) {
        return Math.max(0, Math.min(size, ring.bytesWritten() - ring.bytesRead()));
    }

    /** Events lost on all CPUs. */
    public long lost() {
        return rings.stream().mapToLong(RingCounts::lost).sum();
    }
}
