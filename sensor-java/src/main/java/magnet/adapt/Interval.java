// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * What was measured in one interval. Immutable.
 *
 * @param ended the wall clock at its end
 * @param seconds its measured length
 * @param values of the metrics that the conditions name, each in its unit; without those that are not known
 * @param lost events that were lost in it, whatever the cause, by the module's own counters
 * @param ownersUnknown whether a condition is about a job, and the interval began with processes of which nobody knew whose they
 *     are, because events were lost in the one before
 * @param jumped whether the timer of the events jumped in it, as after a suspend
 */
public record Interval(
        Instant ended, double seconds, Map<String, Double> values, long lost, boolean ownersUnknown, boolean jumped) {
    public Interval {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /**
     * Whether events were lost, owners were unknown or the timer jumped: then values are too low, and times that spanned it are
     * missing.
     */
    public boolean isLossy() {
        return lost > 0 || ownersUnknown || jumped;
    }

    /** The value of a metric; empty if no condition names it, or it is not known. */
    public OptionalDouble value(String metric) {
        Double value = values.get(metric);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }
}
