// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import magnet.metric.Metrics;
import magnet.publish.ganglia.SimulatedNode;

/**
 * Nodes that publish to one gmond, each on a thread of its own, every five seconds, at the default level. Their phases are
 * spread over the interval, as those of machines that know nothing of each other; they have been switched on within it, so
 * that the metadata of all of them goes out in the same five seconds, once a minute.
 */
final class SimulatedCluster implements AutoCloseable {
    /** Time between two publications, the default. */
    static final int PUBLISH_SECONDS = 5;

    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(PUBLISH_SECONDS);
    private static final int STACK_BYTES = 256 << 10;

    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    /** Starts it. */
    SimulatedCluster(int size, int port) {
        long began = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        for (int i = 0; i < size; i++) {
            SimulatedNode node = new SimulatedNode(i + 1, port, Metrics.DEFAULT, PUBLISH_SECONDS);
            long phase = began + INTERVAL_NANOS * i / size;
            Thread thread = new Thread(null, () -> run(node, phase), node.name(), STACK_BYTES);
            thread.setDaemon(true);
            nodes.add(node);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
    }

    private void run(SimulatedNode node, long phase) {
        try {
            for (int round = 0; sleepUntil(phase + round * INTERVAL_NANOS); round++) {
                node.publish(round);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** False when it is over. */
    private boolean sleepUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0 && !stopped; left = nanos - System.nanoTime()) {
            try {
                TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(500)));
            } catch (InterruptedException e) {
                return false;
            }
        }
        return !stopped;
    }

    /** Lets each node finish what it sends, and send nothing more. */
    void stop() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    List<SimulatedNode> nodes() {
        return nodes;
    }

    /** A count, of all nodes. */
    long sum(ToLongFunction<SimulatedNode> count) {
        return nodes.stream().mapToLong(count).sum();
    }

    @Override
    public void close() {
        stopped = true;
        nodes.forEach(SimulatedNode::close);
    }
}
