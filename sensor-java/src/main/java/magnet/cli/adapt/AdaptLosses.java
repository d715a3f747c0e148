// SPDX-License-Identifier: Apache-2.0
package magnet.cli.adapt;

import java.util.function.Consumer;
import magnet.adapt.Interval;
import magnet.cli.world.Counted;

/** Tells when {@code magnet adapt} begins to lose events, when that is over, and what it came to. For one thread. */
public final class AdaptLosses {
    private final Consumer<String> tell;
    private long intervals;
    private long lossyIntervals;
    private long lost;
    private long jumpedIntervals;
    private boolean losing;

    /** @param tell gets lines for those who watch */
    AdaptLosses(Consumer<String> tell) {
        this.tell = tell;
    }

    /** An interval has ended. */
    void measured(Interval interval) {
        intervals++;
        lost += interval.lost();
        jumpedIntervals += interval.jumped() ? 1 : 0;
        boolean losesNow = interval.lost() > 0;
        lossyIntervals += losesNow ? 1 : 0;
        if (interval.jumped()) {
            tell.accept("the timer jumped, as after a suspend: values of this interval are too low");
        }
        if (losesNow && !losing) {
            tell.accept(Counted.were(interval.lost(), "event")
                    + " lost: values are too low until it is said that they are not;"
                    + " --buffer-size makes more room for them");
        } else if (losing && !losesNow) {
            tell.accept("no events are lost any more");
        }
        losing = losesNow;
    }

    /** What it came to, for the last line. */
    String account() {
        String account = lost == 0
                ? "no events were lost in " + Counted.of(intervals, "interval")
                : "%s lost, in %d of %s"
                        .formatted(Counted.were(lost, "event"), lossyIntervals, Counted.of(intervals, "interval"));
        return jumpedIntervals == 0 ? account : account + "; the timer jumped in " + jumpedIntervals;
    }
}
