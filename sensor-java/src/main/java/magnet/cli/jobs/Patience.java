// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.time.Duration;
import magnet.cli.world.Failure;
import magnet.os.MonotonicClock;

/** How long somebody waits for what takes a moment as a rule. For one thread. */
final class Patience {
    /** For a device that another process has open. */
    static final Duration FOR_A_DEVICE = Duration.ofSeconds(2);

    private static final long PAUSE_MILLIS = 10;

    /** Whether what is waited for has come. */
    @FunctionalInterface
    interface Check {
        boolean isDone() throws IOException;
    }

    private final MonotonicClock clock;
    private final long endNanos;

    /** Begins now. */
    Patience(Duration most, MonotonicClock clock) {
        this.clock = clock;
        this.endNanos = clock.nanos() + most.toNanos();
    }

    /** Waits a moment; false, at once, when it is over. */
    boolean pause() throws Failure {
        if (clock.nanos() - endNanos >= 0) {
            return false;
        }
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("interrupted");
        }
        return true;
    }

    /** Waits until it has come; false if it is over before. */
    boolean await(Check check) throws IOException {
        while (!check.isDone()) {
            if (!pause()) {
                return check.isDone();
            }
        }
        return true;
    }
}
