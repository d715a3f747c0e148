// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What shall be published. Immutable.
 *
 * @param groups groups that are on, {@link MetricGroup#SENSOR} always among them
 * @param level how much of them, as a rule
 * @param raiseWhen when to publish more; never if empty
 * @param raiseTo how much that is
 * @param raiseFor how long, from the last window in which one of the conditions held
 * @param replace which of gmond's own metrics are published in its place, at each level
 */
public record MetricChoice(
        Set<MetricGroup> groups,
        Level level,
        List<MetricBound> raiseWhen,
        Level raiseTo,
        Duration raiseFor,
        Set<Replacement> replace) {
    public MetricChoice {
        groups = Set.copyOf(groups);
        raiseWhen = List.copyOf(raiseWhen);
        replace = Set.copyOf(replace);
    }

    /** Where nothing of gmond's is replaced. */
    public MetricChoice(
            Set<MetricGroup> groups, Level level, List<MetricBound> raiseWhen, Level raiseTo, Duration raiseFor) {
        this(groups, level, raiseWhen, raiseTo, raiseFor, Set.of());
    }
}
