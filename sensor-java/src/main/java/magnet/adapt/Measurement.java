// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.machine.LinuxMachine;
import magnet.measure.BufferMeasuring;
import magnet.measure.MeasuredMetrics;
import magnet.measure.OwnBuffer;
import magnet.measure.Subscriptions;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.summary.ProcessRanking;

/**
 * Measures some metrics, interval after interval, from a buffer of its own beside the service's, which has the points
 * that these metrics need and no others. {@link #stop} is for any thread, all else for one.
 */
final class Measurement implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final AdaptationPlan plan;
    private final MagnetControl control;
    private final BufferMeasuring measuring;
    private long lostBefore;
    /** Whether the interval before lost events, and a condition is about a job. */
    private boolean ownersLost;

    private long jumpsBefore;

    private Measurement(AdaptationPlan plan, MagnetControl control, BufferMeasuring measuring) {
        this.plan = plan;
        this.control = control;
        this.measuring = measuring;
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
        String name = "adapt-" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet();
        LinuxMachine machine = new LinuxMachine(
                node.processes(),
                control.dropReasons(),
                node.clock(),
                System.getProperty("os.arch", ""),
                node.devices());
        BufferMeasuring measuring = BufferMeasuring.open(
                OwnBuffer.create(control, module, node.buffers(), name, plan.bufferBytes()),
                module,
                control.points(),
                "magnet-adapt-conductor",
                node.reading(),
                machine,
                new BufferMeasuring.MeasuringClocks(node.clock(), node.wall()),
                new BufferMeasuring.Assignment(
                        plan.metrics(),
                        List.of(),
                        node.jobs(),
                        ProcessRanking.none(),
                        plan.interval().toNanos(),
                        Map.of()));
        try {
            measuring.begin();
            checkAll(plan.metrics(), measuring.state(), module);
            return new Measurement(plan, control, measuring);
        } catch (IOException | RuntimeException e) {
            measuring.close();
            throw e;
        }
    }

    private static void checkAll(List<Metric> wanted, MeasuredMetrics.State state, ModuleInfo module)
            throws IOException {
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
        return measuring.work(() -> {}).map(this::interval);
    }

    private Interval interval(MetricSnapshot snapshot) {
        Map<String, Double> values = new LinkedHashMap<>();
        for (Condition condition : plan.conditions()) {
            condition.in(snapshot).ifPresent(value -> values.put(condition.metric(), value));
        }
        long lostNow = Subscriptions.lost(measuring.losses());
        long lost = Math.max(0, lostNow - lostBefore);
        lostBefore = lostNow;
        boolean jumped = measuring.jumps() > jumpsBefore;
        jumpsBefore = measuring.jumps();
        boolean ownersUnknown = ownersLost;
        ownersLost = lost > 0 && plan.conditions().stream().anyMatch(Condition::isOfJob);
        return new Interval(snapshot.taken(), snapshot.windowSeconds(), values, lost, ownersUnknown, jumped);
    }

    /** Whether the buffer was removed, or the module unloaded. */
    boolean hasEnded() {
        return measuring.hasEnded();
    }

    /** Ends the current wait, and all to come. */
    void stop() {
        measuring.stop();
    }

    /** Leaves nothing on: what was made ends with the control socket. */
    @Override
    public void close() throws IOException {
        try (control) {
            measuring.close();
        }
    }
}
