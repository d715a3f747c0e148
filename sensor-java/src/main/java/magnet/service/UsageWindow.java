// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.util.ArrayDeque;
import java.util.Deque;
import magnet.metric.MetricSnapshot;
import magnet.metric.SensorMetrics;

/** The sensor's own cost over the trailing window. For one thread. */
final class UsageWindow {
    private record Sample(long nanos, long cpuNanos) {}

    private final int slots;
    private final Deque<Sample> samples = new ArrayDeque<>();

    /**
     * @param slots slots of the window
     * @param nowNanos monotonic time at which it begins
     */
    UsageWindow(int slots, long nowNanos, ProcessUsage usage) {
        this.slots = slots;
        samples.addLast(new Sample(nowNanos, usage.cpuNanos()));
    }

    /** Ends a slot and puts in what was used since the window's begin. */
    void close(long nowNanos, ProcessUsage usage, MetricSnapshot.Builder snapshot) {
        samples.addLast(new Sample(nowNanos, usage.cpuNanos()));
        if (samples.size() > slots + 1) {
            samples.removeFirst();
        }
        Sample first = samples.getFirst();
        long elapsed = nowNanos - first.nanos();
        long used = usage.cpuNanos() - first.cpuNanos();
        snapshot.put(SensorMetrics.CPU, elapsed > 0 ? 100.0 * used / elapsed : 0);
        snapshot.put(SensorMetrics.MEMORY, (double) usage.residentBytes());
    }
}
