// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import magnet.record.Counter;

/**
 * Which of its point's events a subscription logs, and what of them. What is empty is not asked for: a new
 * subscription then has none of it, of one that is there it stays as it is. The kernel checks the values.
 *
 * @param rules the whole chain, rules separated by {@code ;} (docs/control.md); an empty text is no rule
 * @param sampleCount one event of so many is logged; 0 and 1 are every one
 * @param sampleIntervalUs at most one event in so many microseconds is logged, at most an hour; 0 is every one
 * @param snapBytes most bytes of the packet that follow a record's payload, at most {@value #SNAP_BYTES_MOST}; 0 is none
 * @param counters read with each event, at most four
 */
public record Selection(
        Optional<String> rules,
        OptionalLong sampleCount,
        OptionalLong sampleIntervalUs,
        OptionalLong snapBytes,
        Optional<Set<Counter>> counters) {
    /** As many bytes of a packet as a record may have. */
    public static final int SNAP_BYTES_MOST = 4_000;

    /** Every event, or nothing to change. */
    public static final Selection NONE = new Selection(
            Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), Optional.empty());

    public Selection {
        counters = counters.map(Set::copyOf);
    }

    /** The same with a chain of rules. */
    public Selection withRules(String text) {
        return new Selection(Optional.of(text), sampleCount, sampleIntervalUs, snapBytes, counters);
    }

    /** The same with one event of so many. */
    public Selection withSampleCount(long count) {
        return new Selection(rules, OptionalLong.of(count), sampleIntervalUs, snapBytes, counters);
    }

    /** The same with at most one event in so many microseconds. */
    public Selection withSampleIntervalUs(long interval) {
        return new Selection(rules, sampleCount, OptionalLong.of(interval), snapBytes, counters);
    }

    /** The same with so many bytes of the packet. */
    public Selection withSnapBytes(long bytes) {
        return new Selection(rules, sampleCount, sampleIntervalUs, OptionalLong.of(bytes), counters);
    }

    /** The same with counters. */
    public Selection withCounters(Set<Counter> wanted) {
        return new Selection(rules, sampleCount, sampleIntervalUs, snapBytes, Optional.of(wanted));
    }

    RequestWriter putInto(RequestWriter request) {
        sampleCount.ifPresent(value -> request.u32(AttributeId.SAMPLE_COUNT, (int) value));
        sampleIntervalUs.ifPresent(value -> request.u32(AttributeId.SAMPLE_INTERVAL_US, (int) value));
        snapBytes.ifPresent(value -> request.u32(AttributeId.SNAP_LEN, (int) value));
        counters.ifPresent(value -> request.u32(AttributeId.COUNTERS, Counter.bits(value)));
        rules.ifPresent(value -> request.string(AttributeId.RULES, value));
        return request;
    }
}
