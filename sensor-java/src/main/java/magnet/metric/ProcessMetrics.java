// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.metric.MetricGroup.PROCESSES;
import static magnet.record.EventType.SCHED_PROCESS_EXEC;
import static magnet.record.EventType.SCHED_PROCESS_EXIT;
import static magnet.record.EventType.SCHED_PROCESS_FORK;

import java.util.List;

/** Metrics of group processes. */
public final class ProcessMetrics {
    private static final MetricMaker FORK =
            MetricMaker.of(PROCESSES, SCHED_PROCESS_FORK).at(Level.HEARTBEAT);
    private static final MetricMaker EXIT =
            MetricMaker.of(PROCESSES, SCHED_PROCESS_EXIT).at(Level.HEARTBEAT);

    public static final Metric FORKS = FORK.rate(
            "magnet_process_forks_rate",
            "processes/sec",
            "Processes made",
            "New processes per second; new threads of a process do not count");
    public static final Metric EXECS = MetricMaker.of(PROCESSES, SCHED_PROCESS_EXEC)
            .at(Level.HEARTBEAT)
            .rate(
                    "magnet_process_execs_rate",
                    "programs/sec",
                    "Programs started",
                    "Programs started by execve per second");
    public static final Metric EXITS = EXIT.rate(
            "magnet_process_exits_rate",
            "processes/sec",
            "Processes ended",
            "Processes whose last thread ended, per second");
    public static final Metric THREADS = FORK.at(Level.FULL)
            .rate(
                    "magnet_process_threads_rate",
                    "threads/sec",
                    "Threads made",
                    "New threads per second beside the first one of each process");
    public static final Metric ALIVE = FORK.at(Level.FULL)
            .and(SCHED_PROCESS_EXIT)
            .number(
                    "magnet_process_alive_count",
                    "processes",
                    "Processes alive",
                    "Processes that are there now, kernel threads included, zombies not",
                    0);

    private ProcessMetrics() {}

    public static List<Metric> all() {
        return List.of(FORKS, EXECS, EXITS, THREADS, ALIVE);
    }
}
