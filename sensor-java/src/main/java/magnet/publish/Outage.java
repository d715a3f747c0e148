// SPDX-License-Identifier: Apache-2.0
package magnet.publish;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import magnet.agent.DistinctErrors;
import org.slf4j.Logger;

/**
 * Says when something begins to fail, and when it works again: however long an outage lasts, each of its errors is one
 * line, and its end is one.
 *
 * <p>It ends when nothing has failed for {@value #QUIET_SECONDS} s, so that something that comes and goes does not fill
 * the log. For one thread.
 */
public final class Outage {
    static final int QUIET_SECONDS = 30;

    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(QUIET_SECONDS);

    private final Logger logger;
    private final String what;
    private final LongSupplier nanoClock;
    private final DistinctErrors distinct;
    private boolean on;
    private long beganNanos;
    private long lastNanos;

    /**
     * @param logger where it is said
     * @param what what may fail; each line begins with it
     * @param nanoClock clock for how long it lasts
     */
    public Outage(Logger logger, String what, LongSupplier nanoClock) {
        this.logger = logger;
        this.what = what;
        this.nanoClock = nanoClock;
        this.distinct = new DistinctErrors(logger);
    }

    /**
     * It failed.
     *
     * @param why the reason, without anything that differs from one time to the next
     */
    public void failed(String why) {
        lastNanos = nanoClock.getAsLong();
        if (!on) {
            on = true;
            beganNanos = lastNanos;
        }
        distinct.record(what + ": " + why);
    }

    /** It was used, and did not fail. */
    public void worked() {
        if (on && nanoClock.getAsLong() - lastNanos >= QUIET_NANOS) {
            on = false;
            logger.info(
                    "{}: works again, after {} errors in {} s",
                    what,
                    distinct.clear(),
                    TimeUnit.NANOSECONDS.toSeconds(lastNanos - beganNanos));
        }
    }
}
