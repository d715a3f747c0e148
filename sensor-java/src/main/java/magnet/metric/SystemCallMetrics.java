// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.metric.DistributionMetrics.P50_P95_P99_MAX;
import static magnet.metric.MetricGroup.SYSCALLS;
import static magnet.record.EventType.SYS_ENTER;
import static magnet.record.EventType.SYS_EXIT;

import java.util.ArrayList;
import java.util.List;

/** Metrics of group syscalls, all of the full level: hardly anything happens more often. */
public final class SystemCallMetrics {
    /** Places for the slowest calls. */
    public static final int PLACES = 3;

    private static final MetricMaker CALLS =
            MetricMaker.of(SYSCALLS, SYS_ENTER, SYS_EXIT).at(Level.FULL).joinedByThread();
    private static final String WITHOUT_WAITS =
            ", those left out that are meant to wait: polls, sleeps, futexes, waits for signals and processes";

    public static final Metric RATE = CALLS.rate(
            "magnet_syscall_calls_rate", "calls/sec", "System calls", "System calls per second that returned");
    public static final Metric ERRORS = CALLS.rate(
            "magnet_syscall_errors_rate",
            "calls/sec",
            "System call errors",
            "System calls per second that returned an error; to try again later is one, too");
    public static final DistributionMetrics TIME = CALLS.time(
            "magnet_syscall_call", "System call", "Time in system calls" + WITHOUT_WAITS, P50_P95_P99_MAX, List.of());
    public static final BucketMetrics BUCKETS = CALLS.buckets(
            "magnet_syscall_call", "calls/sec", "System call", "system calls by their time" + WITHOUT_WAITS, 1);

    /** The longest call of each place. */
    public static final List<Metric> SLOWEST_TIMES = places(true);
    /** Which call that is. */
    public static final List<Metric> SLOWEST_NAMES = places(false);

    /** Both together. */
    public static final Ranking SLOWEST = new Ranking(
            "magnet_syscall_slowest_max",
            "us",
            "The longest time in the window of the calls with the longest times" + WITHOUT_WAITS,
            "call",
            SLOWEST_TIMES,
            SLOWEST_NAMES);

    private SystemCallMetrics() {}

    public static List<Metric> all() {
        List<Metric> all = new ArrayList<>(List.of(RATE, ERRORS));
        all.addAll(TIME.metrics());
        for (int place = 0; place < PLACES; place++) {
            all.add(SLOWEST_TIMES.get(place));
            all.add(SLOWEST_NAMES.get(place));
        }
        all.addAll(BUCKETS.metrics());
        return all;
    }

    private static List<Metric> places(boolean times) {
        List<Metric> places = new ArrayList<>();
        for (int place = 1; place <= PLACES; place++) {
            String stem = "magnet_syscall_slowest_" + place;
            String title = "Slowest system call " + place;
            String which = "call " + place + " of those with the longest times" + WITHOUT_WAITS;
            places.add(
                    times
                            ? CALLS.micros(stem + "_max", title + " max", "The longest time in the window of " + which)
                            : CALLS.text(stem + "_name", title + " name", "Name of " + which));
        }
        return List.copyOf(places);
    }
}
