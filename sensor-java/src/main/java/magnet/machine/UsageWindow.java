// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
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

    private record Sample(long nanos, Optional<ProcessUsage.Timed> usage, Totals totals) {}

    private final int slots;
    private final Deque<Sample> samples = new ArrayDeque<>();

    /**
     * @param slots slots of the window
     * @param nowNanos monotonic time at which it begins
     * @param usage what was used until then; empty if it could not be asked
     * @param totals what came until then
     */
    public UsageWindow(int slots, long nowNanos, Optional<ProcessUsage.Timed> usage, Totals totals) {
        this.slots = slots;
        samples.addLast(new Sample(nowNanos, usage, totals));
    }

    /**
     * Ends a slot and puts in what was used since the window's begin. CPU time is a share of the time between the two
     * questions for it, which may be asked long after the slots' ends, so that it is never more than there was.
     *
     * @param usage empty if it could not be asked: it is as it was when it last could
     */
    public void close(
            long nowNanos, Optional<ProcessUsage.Timed> usage, Totals totals, MetricSnapshot.Builder snapshot) {
        Optional<ProcessUsage.Timed> latest = usage.or(samples.getLast()::usage);
        samples.addLast(new Sample(nowNanos, latest, totals));
        if (samples.size() > slots + 1) {
            samples.removeFirst();
        }
        Sample first = samples.getFirst();
        long events = totals.events() - first.totals().events();
        first.usage().ifPresent(then -> put(then, latest.orElse(then), events, snapshot));
        long elapsed = nowNanos - first.nanos();
        snapshot.put(
                SensorMetrics.MISSED, perSecond(totals.missed() - first.totals().missed(), elapsed));
        snapshot.put(
                SensorMetrics.PUBLISH_FAILURES,
                perSecond(totals.failures() - first.totals().failures(), elapsed));
    }

    private static void put(
            ProcessUsage.Timed first, ProcessUsage.Timed last, long events, MetricSnapshot.Builder snapshot) {
        long used = last.usage().cpuNanos() - first.usage().cpuNanos();
        long asked = last.afterNanos() - first.beforeNanos();
        snapshot.put(SensorMetrics.CPU, asked > 0 ? 100.0 * used / asked : 0);
        snapshot.put(SensorMetrics.MEMORY, (double) last.usage().residentBytes());
        snapshot.put(SensorMetrics.EVENT_CPU, events > 0 ? used / NANOS_PER_MICRO / events : 0);
    }

    private static double perSecond(long count, long nanos) {
        return nanos > 0 ? count * NANOS_PER_SECOND / nanos : 0;
    }
}
