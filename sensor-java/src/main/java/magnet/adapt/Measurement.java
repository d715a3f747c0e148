// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import magnet.agent.AgentHealth;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.machine.LinuxMachine;
import magnet.magnetfs.Collector;
import magnet.measure.CollectorSource;
import magnet.measure.ControlPoints;
import magnet.measure.MeasuringCore;
import magnet.measure.OwnBuffer;
import magnet.measure.Points;
import magnet.measure.Subscriptions;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.os.MonotonicClock;
import magnet.record.ClockModel;
import magnet.summary.EventSummary;
import magnet.summary.SummarySetup;
import magnet.summary.TimerScale;

/**
 * Measures some metrics, interval after interval, from a buffer of its own beside the service's, which has the points
 * that these metrics need and no others. {@link #stop} is for any thread, all else for one.
 */
final class Measurement implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Node node;
    private final long intervalNanos;
    private final MagnetControl control;
    private final MeasuringCore core;
    private final Collector collector;
    private long nextNanos;
    /** At the end of the last interval: of the conductor, then of the snapshot's taker. */
    private long lostNow;

    private long lostBefore;

    private Measurement(
            Node node,
            AdaptationPlan plan,
            MagnetControl control,
            MeasuringCore core,
            Collector collector,
            long began) {
        this.node = node;
        this.intervalNanos = plan.interval().toNanos();
        this.control = control;
        this.core = core;
        this.collector = collector;
        this.nextNanos = began + intervalNanos;
    }

    /**
     * Begins one.
     *
     * @throws IOException if there is no module, a right is missing, or this kernel cannot measure one of the metrics
     */
    static Measurement begin(Node node, AdaptationPlan plan) throws IOException {
        MagnetControl control = node.control().open();
        try {
            return begin(node, plan, control);
        } catch (IOException | RuntimeException e) {
            control.close();
            throw e;
        }
    }

    private static Measurement begin(Node node, AdaptationPlan plan, MagnetControl control) throws IOException {
        ModuleInfo module = control.info();
        String buffer = "adapt-" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet();
        OwnBuffer own = OwnBuffer.create(control, module, node.buffers(), buffer, plan.bufferBytes());
        ClockModel clockModel = module.clockModel();
        LinuxMachine machine = new LinuxMachine(
                node.processes(),
                control.dropReasons(),
                node.clock(),
                System.getProperty("os.arch", ""),
                node.devices());
        SummarySetup setup =
                new SummarySetup(own.cpus(), 1, TimerScale.ofKhz(module.ticksPerMilli()), clockModel, machine);
        EventSummary summary = new EventSummary(setup, node.clock().nanos());
        CollectorSource source = own.read(summary, clockModel, node.reading(), MonotonicClock.SYSTEM);
        ControlPoints kernel = own.points(control.points(), Set.of());
        MeasuringCore core = new MeasuringCore(
                "magnet-adapt-conductor",
                source,
                answered -> new Points(kernel, answered, line -> {}),
                summary,
                node.clock(),
                AgentHealth.unheard());
        try {
            long began = core.begin(plan.metrics());
            checkAll(plan.metrics(), core.state(), module);
            return new Measurement(node, plan, control, core, source.collector(), began);
        } catch (IOException | RuntimeException e) {
            core.close();
            source.close();
            throw e;
        }
    }

    private static void checkAll(List<Metric> wanted, MeasuringCore.State state, ModuleInfo module) throws IOException {
        for (Metric metric : wanted) {
            if (!state.metrics().contains(metric)) {
                throw new IOException(metric.name() + " cannot be measured: this kernel does not have, or refused, "
                        + String.join(", ", state.failed().keySet()) + "; magnet check says why");
            }
            if (metric.byThread() && !module.layout().hasTid()) {
                throw new IOException(metric.name() + " cannot be measured: it joins events by thread, which records of"
                        + " layout classic do not tell; load the module with layout=wide");
            }
        }
    }

    /** Reads for a while, at most up to the end of the interval; gives one that has ended. */
    Optional<Interval> work() throws IOException {
        long wait = Math.max(0, nextNanos - node.clock().nanos());
        core.work(wait / NANOS_PER_MILLI + 1);
        long now = node.clock().nanos();
        Optional<Interval> ended = core.takeSnapshot().map(this::interval);
        if (now - nextNanos >= 0 && !core.isClosing() && !collector.isStopped() && !collector.hasEnded()) {
            core.closeWindow(now, node.wall().instant(), List.of(), sensors -> lostNow = lost(), snapshot -> {});
            // What was missed while the machine stood still is not made up for.
            nextNanos += (now - nextNanos) / intervalNanos * intervalNanos + intervalNanos;
        }
        return ended;
    }

    /** On the conductor's thread. */
    private long lost() {
        try {
            return Subscriptions.lost(core.points().subscriptions().losses());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Interval interval(MetricSnapshot snapshot) {
        Map<String, Double> values = new LinkedHashMap<>();
        for (int i = 0; i < snapshot.size(); i++) {
            values.put(snapshot.metric(i).name(), snapshot.value(i));
        }
        long lost = Math.max(0, lostNow - lostBefore);
        lostBefore = lostNow;
        return new Interval(snapshot.taken(), snapshot.windowSeconds(), values, lost);
    }

    /** Whether the buffer was removed, or the module unloaded. */
    boolean hasEnded() {
        return collector.hasEnded();
    }

    /** Ends the current wait, and all to come. */
    void stop() {
        collector.stop();
    }

    /** Leaves nothing on: what was made ends with the control socket. */
    @Override
    public void close() throws IOException {
        core.close();
        try {
            collector.close();
        } finally {
            control.close();
        }
    }
}
