// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import magnet.control.HitCounts;
import magnet.metric.JobTable;
import magnet.metric.TopOrder;
import magnet.summary.ProcessRanking;

/**
 * What {@code magnet top} shows of one window. Immutable.
 *
 * @param taken when it ended
 * @param time wall clock at its end
 * @param seconds its measured length
 * @param cpus CPUs that are watched
 * @param points points that are watched
 * @param absent points that this kernel does not have or refused
 * @param events events of each kind, those that happened most often first
 * @param lost events that were lost in the window, whatever the cause
 * @param lostSinceStart the same since the command began
 * @param late events per second that came late
 * @param discarded measured times per second that were thrown away
 * @param lagMicros how far behind it is, at most
 * @param latencies microseconds, one for each of {@link TopLatency#QUANTILES}; of what is not computed none
 * @param order what processes are ranked by
 * @param processes the first one first
 * @param byJob whether there are jobs in their place
 * @param jobs the first one first
 * @param self the process that asks
 * @param filter which processes and which device there are alone; empty for all
 * @param losses points that lost events since the command began, with all their counts
 */
public record TopFrame(
        Instant taken,
        String time,
        double seconds,
        int cpus,
        int points,
        List<String> absent,
        List<EventRow> events,
        long lost,
        long lostSinceStart,
        double late,
        double discarded,
        double lagMicros,
        Map<TopLatency, List<Double>> latencies,
        TopOrder order,
        List<ProcessRanking.Row> processes,
        boolean byJob,
        List<JobTable.Row> jobs,
        int self,
        Optional<String> filter,
        Map<String, HitCounts> losses) {

    /**
     * How often one event happens.
     *
     * @param name the event's
     * @param perSecond in this window
     * @param total since the command began
     */
    record EventRow(String name, double perSecond, long total) {}

    /** Rows of processes or jobs. */
    int ranked() {
        return byJob ? jobs.size() : processes.size();
    }

    double eventsPerSecond() {
        return events.stream().mapToDouble(EventRow::perSecond).sum();
    }
}
