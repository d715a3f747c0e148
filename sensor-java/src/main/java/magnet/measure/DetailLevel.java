// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.util.List;
import magnet.metric.Level;
import magnet.metric.MetricBound;
import magnet.metric.MetricChoice;
import magnet.metric.MetricSnapshot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which level is in force: the configuration's, or for a while a higher one, after a metric crossed a bound. Where events
 * were lost values are too low: what is below a bound is not believed then, as with a program that adapts. For one thread.
 */
public final class DetailLevel {
    private static final Logger LOGGER = LoggerFactory.getLogger(DetailLevel.class);

    private MetricChoice choice;
    /** Conditions that held in the last snapshot. */
    private List<MetricBound> holding = List.of();

    private boolean raised;
    private long raisedUntilNanos;

    public DetailLevel(MetricChoice choice) {
        this.choice = choice;
    }

    /** Goes by another choice from now on. What was raised stays so, if there still are conditions, until its time is over. */
    public void use(MetricChoice other) {
        choice = other;
        raised &= !other.raiseWhen().isEmpty();
    }

    /** What is chosen. */
    public MetricChoice choice() {
        return choice;
    }

    /** The level that is in force. */
    public Level level() {
        return raised ? Level.higher(choice.raiseTo(), choice.level()) : choice.level();
    }

    /**
     * Looks at what was just published.
     *
     * @return whether it raises the level, which was not raised before
     */
    public boolean look(MetricSnapshot snapshot, long nowNanos) {
        boolean wasRaised = raised;
        holding = choice.raiseWhen().stream()
                .filter(each -> each.holds(snapshot, holding.contains(each)))
                .toList();
        if (!holding.isEmpty()) {
            raisedUntilNanos = nowNanos + choice.raiseFor().toNanos();
            if (!raised) {
                LOGGER.info(
                        "{}: level {} for {} s",
                        holding.get(0),
                        choice.raiseTo().key(),
                        choice.raiseFor().toSeconds());
            }
            raised = true;
        } else if (raised && nowNanos - raisedUntilNanos >= 0) {
            raised = false;
            LOGGER.info("back to level {}", choice.level().key());
        }
        return raised && !wasRaised;
    }
}
