// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.publish.SinkRunner;
import magnet.publish.ganglia.GangliaSink;
import org.jspecify.annotations.Nullable;

/** The sinks, and what became of the snapshots. Thread-safe. */
final class Publishing implements AutoCloseable {
    private volatile List<Metric> metrics;
    private final GangliaSink ganglia;
    private final SinkRunner runner;
    private final AtomicReference<@Nullable Instant> firstPublished = new AtomicReference<>();

    /**
     * Starts the sinks.
     *
     * @param metrics what is published
     * @param ganglia where to; closed with this
     * @param clock wall clock
     */
    Publishing(List<Metric> metrics, GangliaSink ganglia, InstantSource clock) {
        this.metrics = List.copyOf(metrics);
        this.ganglia = ganglia;
        this.runner = new SinkRunner(ganglia, () -> firstPublished.compareAndSet(null, clock.instant()));
        runner.start();
    }

    /** Hands a snapshot to the sinks. Never blocks. */
    void publish(MetricSnapshot snapshot) {
        runner.offer(snapshot);
    }

    /** Publishes something else from now on. */
    void use(List<Metric> others) {
        metrics = List.copyOf(others);
    }

    /** What is published. */
    List<Metric> metrics() {
        return metrics;
    }

    /** When the first snapshot had been sent. */
    Optional<Instant> firstPublished() {
        return Optional.ofNullable(firstPublished.get());
    }

    /** Snapshots sent. */
    long published() {
        return runner.published();
    }

    /** Snapshots not tried. */
    long dropped() {
        return runner.dropped();
    }

    /** Snapshots that could not be sent at all. */
    long failed() {
        return runner.failed();
    }

    /** Packets that some channel did not send. */
    long sendErrors() {
        return ganglia.errors();
    }

    /** All that went wrong. */
    long failures() {
        return dropped() + failed() + sendErrors();
    }

    @Override
    public void close() {
        runner.close();
    }
}
