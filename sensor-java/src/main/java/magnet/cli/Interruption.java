// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The user's wish to end a command early: Ctrl-C, or SIGTERM. A command that has something to bring to an end is
 * given the time for it, and then ends with its own exit code; any other ends at once. Thread-safe.
 */
final class Interruption {
    private static final int INTERRUPTED = 130;
    private static final int PATIENCE_SECONDS = 10;

    private final CountDownLatch finished = new CountDownLatch(1);
    private @Nullable Runnable action;
    private boolean interrupted;
    private volatile int exitCode = INTERRUPTED;

    /** One that the JVM's shutdown triggers. */
    static Interruption installed() {
        Interruption interruption = new Interruption();
        Runtime.getRuntime().addShutdownHook(new Thread(interruption::onShutdown, "interruption"));
        return interruption;
    }

    /** What to do when the wish comes; at once if it has come already. */
    void onInterrupt(Runnable what) {
        synchronized (this) {
            if (!interrupted) {
                action = what;
                return;
            }
        }
        what.run();
    }

    /** The wish comes. Returns whether a command brings something to an end. */
    boolean interrupt() {
        Runnable what;
        synchronized (this) {
            interrupted = true;
            what = action;
        }
        if (what == null) {
            return false;
        }
        what.run();
        return true;
    }

    /** The command has ended. */
    void finished(int code) {
        exitCode = code;
        finished.countDown();
    }

    private void onShutdown() {
        if (finished.getCount() == 0 || !interrupt()) {
            return;
        }
        try {
            if (finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                Runtime.getRuntime().halt(exitCode);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
