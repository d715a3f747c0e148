// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import magnet.control.MagnetControl;
import magnet.metric.Metric;
import magnet.unit.TimeSpan;

/**
 * What an {@link Adaptation} shall look at. Immutable. The constructors throw an IllegalArgumentException if it cannot be
 * looked at, whose message says why in one line.
 *
 * @param conditions one or more, each once
 * @param interval how long each measurement is, from 0.1 s to an hour; the shorter, the sooner it is told, and the more
 *     single values swing
 * @param bufferBytes memory for events that are not read yet, for each CPU
 */
public record AdaptationPlan(List<Condition> conditions, Duration interval, long bufferBytes) {
    /** Shortest interval. */
    public static final Duration SHORTEST = Duration.ofMillis(100);

    /** Longest interval. */
    public static final Duration LONGEST = Duration.ofHours(1);

    public AdaptationPlan {
        conditions = List.copyOf(conditions);
        if (conditions.isEmpty()) {
            throw new IllegalArgumentException("there is no condition");
        }
        if (new HashSet<>(conditions).size() < conditions.size()) {
            throw new IllegalArgumentException("the same condition is given twice");
        }
        if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "the interval must be from 0.1 s to an hour, not " + new TimeSpan(interval));
        }
    }

    /** One with the module's usual buffer, 256 KiB. */
    public AdaptationPlan(List<Condition> conditions, Duration interval) {
        this(conditions, interval, MagnetControl.BUFFER_SIZE_DEFAULT);
    }

    /** The metrics of the conditions. */
    List<Metric> metrics() {
        return conditions.stream().map(Condition::known).distinct().toList();
    }
}
