// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import magnet.agent.Agent;
import magnet.agent.AgentHealth;
import magnet.agent.AgentRunner;

/**
 * Writes lines on a thread of its own, so that nobody who logs waits for whoever reads them. {@value #CAPACITY} lines wait at
 * most. What finds no room is discarded, and a line in its place says how many. Thread-safe.
 */
final class LogWriter implements AutoCloseable {
    static final int CAPACITY = 1_000;

    private static final Duration CLOSE_WAIT = Duration.ofSeconds(3);
    private static final long IDLE_MILLIS = 1_000;
    private static final String NOTHING = "";

    private final PrintStream out;
    private final LongFunction<String> discardedText;
    private final BlockingQueue<String> waiting = new ArrayBlockingQueue<>(CAPACITY);
    private final AgentRunner runner;
    private final ReentrantLock lock = new ReentrantLock();
    private long discarded;
    private boolean closed;

    /**
     * Begins to write.
     *
     * @param out where to
     * @param discardedText the line that says that so many were discarded
     */
    LogWriter(PrintStream out, LongFunction<String> discardedText) {
        this.out = out;
        this.discardedText = discardedText;
        // Whoever reads the log may stand still as long as he likes: that is no fault of the service.
        this.runner = AgentRunner.start(new Writing(), AgentHealth.unheard());
    }

    /** Lets a line be written, with the line feed at its end. Never waits before {@link #close}; afterwards it writes. */
    void write(String line) {
        lock.lock();
        try {
            if (closed) {
                print(line);
            } else if (waiting.remainingCapacity() < 2) {
                // The last place is for the line that says so.
                discarded++;
            } else {
                tellDiscarded();
                waiting.add(line);
            }
        } finally {
            lock.unlock();
        }
    }

    private void tellDiscarded() {
        if (discarded > 0) {
            waiting.add(discardedText.apply(discarded));
            discarded = 0;
        }
    }

    /** Waits until all is written, a few seconds at most. */
    @Override
    public void close() {
        runner.end();
        if (!runner.await(CLOSE_WAIT)) {
            return;
        }
        lock.lock();
        try {
            if (!closed) {
                tellDiscarded();
                closed = true;
                printAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void printAll() {
        for (String next = waiting.poll(); next != null; next = waiting.poll()) {
            print(next);
        }
    }

    private void print(String line) {
        out.print(line);
        out.flush();
    }

    /** What the thread does. */
    private final class Writing implements Agent {
        @Override
        public String roleName() {
            return "magnet-log";
        }

        @Override
        public int doWork() throws InterruptedException {
            String next = waiting.poll(IDLE_MILLIS, TimeUnit.MILLISECONDS);
            if (next == null) {
                return 0;
            }
            print(next);
            return 1;
        }

        @Override
        public void wakeUp() {
            // Who writes a line has counted the places.
            lock.lock();
            try {
                boolean unused = waiting.offer(NOTHING); // where there is no room it does not sleep
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void onClose() {
            printAll();
        }
    }
}
