// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import magnet.record.Counter;

/**
 * A subscription: a point's events go to a buffer.
 *
 * @param id the number to end it by
 * @param point the point's name
 * @param event the id in its records
 * @param buffer the buffer's name
 * @param persistent whether it outlives the socket that made it
 * @param urgent whether its events wake the reader at once
 * @param owner port id of that socket; empty if persistent
 * @param sampleCount one event of so many is logged; 0 and 1 are every one
 * @param sampleIntervalUs at most one event in so many microseconds is logged; 0 is every one
 * @param snapBytes most bytes of the packet that follow a record's payload
 * @param counters read with each event
 * @param counts what became of the hits, by CPU; empty in the answer to its making
 */
public record SubscriptionInfo(
        long id,
        String point,
        int event,
        String buffer,
        boolean persistent,
        boolean urgent,
        OptionalLong owner,
        long sampleCount,
        long sampleIntervalUs,
        long snapBytes,
        Set<Counter> counters,
        List<HitCounts> counts) {
    public SubscriptionInfo {
        counters = Set.copyOf(counters);
        counts = List.copyOf(counts);
    }

    /** The sum over all CPUs. */
    public HitCounts total() {
        return counts.stream().reduce(HitCounts.NONE, HitCounts::plus);
    }
}
