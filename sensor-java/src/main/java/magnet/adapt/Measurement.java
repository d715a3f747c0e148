// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.Collector;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.record.ClockModel;
import magnet.service.LinuxMachine;
import magnet.service.MetricPoints;
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
    private final List<Metric> metrics;
    private final MagnetControl control;
    private final MetricPoints points;
    private final EventSummary summary;
    private final Collector collector;
    private long nextNanos;
    private long lostBefore;

    private Measurement(
            Node node,
            AdaptationPlan plan,
            MagnetControl control,
            MetricPoints points,
            EventSummary summary,
            Collector collector) {
        this.node = node;
        this.intervalNanos = plan.interval().toNanos();
        this.metrics = plan.metrics();
        this.control = control;
        this.points = points;
        this.summary = summary;
        this.collector = collector;
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
        control.createBuffer(buffer, plan.bufferBytes(), Set.of());
        BufferDirectory directory = node.buffers().find(buffer);
        ClockModel clockModel = module.clockModel();
        LinuxMachine machine = new LinuxMachine(
                node.processes(),
                control.dropReasons(),
                node.clock(),
                System.getProperty("os.arch", ""),
                node.devices());
        int cpus = Math.max(1, directory.cpus().size());
        SummarySetup setup = new SummarySetup(cpus, 1, TimerScale.ofKhz(module.ticksPerMilli()), clockModel, machine);
        EventSummary summary = new EventSummary(setup, node.clock().nanos());
        Collector collector = Collector.open(
                directory, module.layout(), clockModel, summary, node.reading().forBuffersOf(plan.bufferBytes()));
        try {
            MetricPoints points = new MetricPoints(control, buffer);
            checkAll(plan.metrics(), points.subscribe(plan.metrics(), control.points()), points, module);
            Measurement measurement = new Measurement(node, plan, control, points, summary, collector);
            measurement.start();
            return measurement;
        } catch (IOException | RuntimeException e) {
            collector.close();
            throw e;
        }
    }

    private static void checkAll(List<Metric> wanted, List<Metric> computed, MetricPoints points, ModuleInfo module)
            throws IOException {
        for (Metric metric : wanted) {
            if (!computed.contains(metric)) {
                throw new IOException(metric.name() + " cannot be measured: this kernel does not have, or refused, "
                        + String.join(", ", points.absent()) + "; magnet check says why");
            }
            if (metric.byThread() && !module.layout().hasTid()) {
                throw new IOException(metric.name() + " cannot be measured: it joins events by thread, which records of"
                        + " layout classic do not tell; load the module with layout=wide");
            }
        }
    }

    private void start() {
        long now = node.clock().nanos();
        summary.use(metrics, now);
        nextNanos = now + intervalNanos;
    }

    /** Reads for a while, at most up to the end of the interval; gives it if it has ended. */
    Optional<Interval> work() throws IOException {
        long wait = Math.max(0, nextNanos - node.clock().nanos());
        collector.doWork((int) Math.min(Integer.MAX_VALUE, wait / NANOS_PER_MILLI + 1));
        long now = node.clock().nanos();
        if (now - nextNanos < 0 || collector.isStopped() || collector.hasEnded()) {
            return Optional.empty();
        }
        MetricSnapshot snapshot = summary.closeWindow(now, node.wall().instant(), metrics, sensors -> {});
        // What was missed while the machine stood still is not made up for.
        nextNanos += (now - nextNanos) / intervalNanos * intervalNanos + intervalNanos;
        return Optional.of(interval(snapshot));
    }

    private Interval interval(MetricSnapshot snapshot) throws IOException {
        Map<String, Double> values = new LinkedHashMap<>();
        for (int i = 0; i < snapshot.size(); i++) {
            values.put(snapshot.metric(i).name(), snapshot.value(i));
        }
        long lost = MetricPoints.lost(points.losses());
        Interval interval =
                new Interval(snapshot.taken(), snapshot.windowSeconds(), values, Math.max(0, lost - lostBefore));
        lostBefore = lost;
        return interval;
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
        try {
            collector.close();
        } finally {
            control.close();
        }
    }
}
