// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.util.ArrayDeque;
import java.util.Deque;
import magnet.metric.MetricSnapshot;
import magnet.metric.SensorMetrics;

/** The sensor's own cost, and what it failed to see or to publish, over the trailing window. For one thread. */
public final class UsageWindow {
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * Sums since start.
     *
     * @param events events read
     * @param failures what could not be published
     * @param missed hits that probes missed
     */
    public record Totals(long events, long failures, long missed) {}

    private record Sample(long nanos, long cpuNanos, Totals totals) {}

    private final int slots;
    private final Deque<Sample> samples = new ArrayDeque<>();

    /**
     * @param slots slots of the window
     * @param nowNanos monotonic time at which it begins
     * @param usage what was used until then
     * @param totals what came until then
     */
    public UsageWindow(int slots, long nowNanos, ProcessUsage usage, Totals totals) {
        this.slots = slots;
        samples.addLast(new Sample(nowNanos, usage.cpuNanos(), totals));
    }

    /** Ends a slot and puts in what was used since the window's begin. */
    public void close(long nowNanos, ProcessUsage usage, Totals totals, MetricSnapshot.Builder snapshot) {
        samples.addLast(new Sample(nowNanos, usage.cpuNanos(), totals));
        if (samples.size() > slots + 1) {
            samples.removeFirst();
        }
        Sample first = samples.getFirst();
        long elapsed = nowNanos - first.nanos();
        long used = usage.cpuNanos() - first.cpuNanos();
        long events = totals.events() - first.totals().events();
        long failures = totals.failures() - first.totals().failures();
        snapshot.put(SensorMetrics.CPU, elapsed > 0 ? 100.0 * used / elapsed : 0);
        snapshot.put(SensorMetrics.MEMORY, (double) usage.residentBytes());
        snapshot.put(SensorMetrics.EVENT_CPU, events > 0 ? used / NANOS_PER_MICRO / events : 0);
        long missed = totals.missed() - first.totals().missed();
        snapshot.put(SensorMetrics.MISSED, elapsed > 0 ? missed * NANOS_PER_SECOND / elapsed : 0);
        snapshot.put(SensorMetrics.PUBLISH_FAILURES, elapsed > 0 ? failures * NANOS_PER_SECOND / elapsed : 0);
    }
}
