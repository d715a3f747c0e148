// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import magnet.agent.AgentHealth;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.publish.Sink;
import magnet.publish.SinkRunner;
import magnet.publish.ganglia.GangliaSink;
import org.jspecify.annotations.Nullable;

/** The sinks, and what became of the snapshots: those that Ganglia got where nothing else is said. Thread-safe. */
final class Publishing implements AutoCloseable {
    /** A sink and the thread that feeds it. */
    private record Outlet(Sink sink, SinkRunner runner) {}

    private final AgentHealth health;
    private volatile List<Metric> metrics;
    private final List<Outlet> outlets = new ArrayList<>();
    private final Outlet ganglia;
    private final AtomicReference<@Nullable Instant> firstPublished = new AtomicReference<>();

    /**
     * Starts the sinks.
     *
     * @param metrics what is published
     * @param ganglia where to
     * @param others where to beside it; all are closed with this
     * @param clock wall clock
     * @param health hears of their threads
     */
    Publishing(List<Metric> metrics, GangliaSink ganglia, List<Sink> others, InstantSource clock, AgentHealth health) {
        this.health = health;
        this.metrics = List.copyOf(metrics);
        this.ganglia = start(ganglia, () -> firstPublished.compareAndSet(null, clock.instant()));
        others.forEach(sink -> start(sink, () -> {}));
    }

    private Outlet start(Sink sink, Runnable onPublished) {
        Outlet outlet = new Outlet(sink, new SinkRunner(sink, onPublished, health));
        outlets.add(outlet);
        outlet.runner.start();
        return outlet;
    }

    /** Hands a snapshot to the sinks. Never blocks. */
    void publish(MetricSnapshot snapshot) {
        outlets.forEach(outlet -> outlet.runner.offer(snapshot));
    }

    /** Publishes something else from now on. */
    void use(List<Metric> others) {
        metrics = List.copyOf(others);
    }

    /** What is published. */
    List<Metric> metrics() {
        return metrics;
    }

    /** Where to, to all of the sinks. */
    String destinations() {
        return outlets.stream().map(outlet -> outlet.sink.destinations()).collect(Collectors.joining(", "));
    }

    /** When the first snapshot had been sent. */
    Optional<Instant> firstPublished() {
        return Optional.ofNullable(firstPublished.get());
    }

    /** Snapshots sent. */
    long published() {
        return ganglia.runner.published();
    }

    /** Snapshots not tried. */
    long dropped() {
        return ganglia.runner.dropped();
    }

    /** Snapshots that could not be sent at all. */
    long failed() {
        return ganglia.runner.failed();
    }

    /** Packets that some channel did not send. */
    long sendErrors() {
        return ganglia.sink.errors();
    }

    /** Turns of threads that failed, those of the sinks and all others that must be alive. */
    long agentFailures() {
        return health.failures();
    }

    /** All that went wrong, in all of the sinks and threads. */
    long failures() {
        return outlets.stream()
                        .mapToLong(outlet -> outlet.runner.dropped() + outlet.runner.failed() + outlet.sink.errors())
                        .sum()
                + agentFailures();
    }

    @Override
    public void close() {
        outlets.forEach(outlet -> outlet.runner.close());
    }
}
