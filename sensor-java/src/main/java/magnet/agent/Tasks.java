// SPDX-License-Identifier: Apache-2.0
package magnet.agent;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads for what is not done turn by turn but once: daemons, and what one of them throws is a line in the log, errors of
 * the JVM too. Stateless.
 */
public final class Tasks {
    private static final Logger LOGGER = LoggerFactory.getLogger(Tasks.class);

    private Tasks() {}

    /** Runs it on a thread of this name. */
    public static void start(String name, Runnable task) {
        daemon(name, task).start();
    }

    /** Runs it when the JVM is told to end. */
    public static void atShutdown(String name, Runnable task) {
        Runtime.getRuntime().addShutdownHook(new Thread(guarded(name, task), name));
    }

    /** Threads of a pool, whose names end with a number. */
    public static ThreadFactory pool(String prefix) {
        AtomicLong number = new AtomicLong();
        return task -> daemon(prefix + number.incrementAndGet(), task);
    }

    private static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(guarded(name, task), name);
        thread.setDaemon(true);
        return thread;
    }

    private static Runnable guarded(String name, Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable e) { // whoever waits for what it does has a limit
                LOGGER.error("{} failed: {}", name, e.toString(), e);
            }
        };
    }
}
