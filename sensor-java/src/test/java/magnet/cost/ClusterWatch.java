// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks fifty times a second how full gmond's socket is, and whether gmetad polls: whether the thread of its data source, which
 * no other comes up to, spends processor time. Thread-safe.
 */
final class ClusterWatch implements AutoCloseable {
    private static final long LOOK_MILLIS = 20;
    /** Polls are 15 s apart; within one gmond may let gmetad wait. */
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    private final int port;
    private @Nullable ProcessFigures gmetad;
    private final BusyStretches polls = new BusyStretches(QUIET_NANOS);
    private final Thread thread = new Thread(this::run, "watch");
    private volatile boolean over;
    private volatile @Nullable IOException failure;
    private long mostWaiting;

    /** Begins to look, at gmond's UDP port. */
    ClusterWatch(int port) {
        this.port = port;
        thread.setDaemon(true);
        thread.start();
    }

    /** From now on looks at a gmetad as well. */
    synchronized void watch(ProcessFigures daemon) {
        gmetad = daemon;
    }

    /**
     * Polls that have ended.
     *
     * @throws IOException if it could not go on looking
     */
    synchronized int polls() throws IOException {
        if (failure != null) {
            throw new IOException("gmond or gmetad could not be watched", failure);
        }
        return polls.count();
    }

    /** Time that they took, in seconds. */
    synchronized double pollSeconds() {
        return polls.busyNanos() / 1e9;
    }

    /** The longest of them, in seconds. */
    synchronized double longestPollSeconds() {
        return polls.longestNanos() / 1e9;
    }

    /** Bytes of the socket's buffer that were in use at most, since this was asked last. */
    synchronized long takeMostWaiting() {
        long most = mostWaiting;
        mostWaiting = 0;
        return most;
    }

    private void run() {
        try {
            while (!over) {
                look();
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        } catch (IOException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void look() throws IOException {
        mostWaiting = Math.max(mostWaiting, UdpFigures.waitingBytes(port));
        if (gmetad != null) {
            polls.look(System.nanoTime(), gmetad.busiestOtherThreadCpuSeconds());
        }
    }

    @Override
    public void close() {
        over = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
