// SPDX-License-Identifier: Apache-2.0
package magnet.agent;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An agent's thread, a daemon. Whatever a turn throws is counted, said once for each distinct error, and told to the health
 * register; then the agent goes on after a while, or ends, as it declares.
 *
 * <p>Thread-safe.
 */
public final class AgentRunner implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(AgentRunner.class);
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(3);
    private static final long BACKOFF_FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long BACKOFF_LAST_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Agent agent;
    private final AgentHealth health;
    private final Thread thread;
    private final DistinctErrors errors = new DistinctErrors(LOGGER);
    private final Backoff backoff = new Backoff(BACKOFF_FIRST_NANOS, BACKOFF_LAST_NANOS, new Random());
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ending = lock.newCondition();
    private final AtomicLong failures = new AtomicLong();
    private boolean started;
    private volatile boolean closing;
    private volatile boolean over;
    private volatile @Nullable Throwable failure;
    private volatile long turnBeganNanos;

    /**
     * One that does not run yet.
     *
     * @param health hears of it while it runs
     */
    public AgentRunner(Agent agent, AgentHealth health) {
        this.agent = agent;
        this.health = health;
        this.thread = new Thread(this::run, agent.roleName());
        this.thread.setDaemon(true);
    }

    /** One that runs, of which the register hears. */
    public static AgentRunner start(Agent agent, AgentHealth health) {
        AgentRunner runner = new AgentRunner(agent, health);
        runner.start();
        return runner;
    }

    /** Starts the thread. Once. */
    public void start() {
        lock.lock();
        try {
            started = true;
        } finally {
            lock.unlock();
        }
        turnBeganNanos = health.nanos();
        health.enter(this);
        thread.start();
    }

    /** The agent's name. */
    public String roleName() {
        return agent.roleName();
    }

    /** Turns that failed, its start and its end included. */
    public long failures() {
        return failures.get();
    }

    /** Why the agent ended though nobody told it to; empty as long as it runs, and if all went well. */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    /** Whether its last turn is over, and it has been closed. */
    public boolean hasEnded() {
        return over;
    }

    /** Whether the caller is the agent itself. */
    public boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Where the agent is at this moment; empty if it has ended. */
    public StackTraceElement[] stackTrace() {
        return thread.getStackTrace();
    }

    /** Lets the agent come to its end, and does not wait for it. */
    public void end() {
        closing = true;
        lock.lock();
        try {
            ending.signalAll();
        } finally {
            lock.unlock();
        }
        agent.wakeUp();
    }

    /** Waits so long for the agent's end. Returns whether it has ended; the agent itself does not wait. */
    public boolean await(Duration longest) {
        if (isCurrent() || !isStarted()) {
            return over;
        }
        try {
            thread.join(Math.max(1, longest.toMillis()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    /** Waits until the agent has ended; the agent itself does not. */
    public void awaitEnd() {
        await(Duration.ofMillis(Long.MAX_VALUE));
    }

    /** Ends the agent, waits a few seconds at most, and interrupts it then. */
    @Override
    public void close() {
        end();
        if (!await(CLOSE_WAIT) && !isCurrent()) {
            thread.interrupt();
        }
    }

    /** Why it does not do what it should; null if it does. */
    @Nullable
    String complaint(long nowNanos) {
        Throwable why = failure;
        if (why != null) {
            return roleName() + " has ended: " + why;
        }
        Duration longest = agent.longestTurn().orElse(null);
        long took = nowNanos - turnBeganNanos;
        return longest == null || over || took <= longest.toNanos()
                ? null
                : roleName() + " has stood still for " + TimeUnit.NANOSECONDS.toSeconds(took) + " s";
    }

    private boolean isStarted() {
        lock.lock();
        try {
            return started;
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        Throwable last = null;
        try {
            last = work();
        } finally {
            turn(() -> {
                agent.onClose();
                return 0;
            });
            failure = last;
            if (last == null) {
                health.leave(this);
            } else {
                turn(() -> {
                    agent.onFailed();
                    return 0;
                });
            }
            over = true;
        }
    }

    /** Returns what ended it; null if it was told to end, or came to its end. */
    private @Nullable Throwable work() {
        boolean hasBegun = false;
        while (!closing) {
            boolean starts = !hasBegun;
            Turn turn = turn(() -> {
                if (starts) {
                    agent.onStart();
                    return 0;
                }
                return agent.doWork();
            });
            if (turn.failure != null) {
                if (closing || agent.onFailure() == Agent.OnFailure.END) {
                    return closing ? null : turn.failure;
                }
                pause(backoff.failed());
                continue;
            }
            hasBegun = true;
            backoff.succeeded();
            if (turn.done == Agent.OVER) {
                return null;
            }
        }
        return null;
    }

    /** What came of a turn. */
    private static final class Turn {
        private int done;
        private @Nullable Throwable failure;
    }

    /** Something that may fail. */
    @FunctionalInterface
    private interface Attempt {
        int run() throws Exception;
    }

    private final Turn turn = new Turn();

    private Turn turn(Attempt attempt) {
        turnBeganNanos = health.nanos();
        turn.failure = null;
        try {
            turn.done = attempt.run();
        } catch (Throwable e) { // errors of the JVM too: a class may be missing while a package is replaced
            turn.failure = e;
            failures.incrementAndGet();
            health.failed();
            say(e);
        }
        return turn;
    }

    /** What the log's own classes throw does not end an agent. */
    private void say(Throwable e) {
        try {
            if (errors.record(roleName() + ": " + e)) {
                LOGGER.debug("{}", roleName(), e);
            }
        } catch (Throwable again) {
            failures.incrementAndGet();
        }
    }

    private void pause(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (left > 0 && !closing) {
                left = ending.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            // Whoever interrupts wants it to end.
            closing = true;
        } finally {
            lock.unlock();
        }
    }
}
