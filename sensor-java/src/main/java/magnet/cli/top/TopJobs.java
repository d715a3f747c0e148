// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import magnet.cli.world.Table;
import magnet.cli.world.VisibleText;
import magnet.metric.JobColumn;
import magnet.metric.JobMetrics;
import magnet.metric.JobTable;
import magnet.metric.Metric;
import magnet.metric.TopOrder;

/** The jobs of a {@link TopFrame}: what each did, and who ran while it waited. Stateless. */
final class TopJobs {
    /** What is shown; cheap enough to be watched anywhere. */
    private static final List<JobColumn> SHOWN = List.of(
            JobColumn.CPU,
            JobColumn.WAIT,
            JobColumn.WAIT_P99,
            JobColumn.WAIT_MAX,
            JobColumn.SLICES,
            JobColumn.SEND_BYTES,
            JobColumn.RECEIVE_BYTES);

    /** Causes in a line of text. */
    private static final int CAUSES = 3;

    private TopJobs() {}

    /** Metrics that have to be measured for it. */
    static List<Metric> metrics() {
        JobMetrics.Slot slot = JobMetrics.allSlots().get(0);
        List<Metric> metrics = new ArrayList<>(SHOWN.stream().map(slot::of).toList());
        metrics.add(slot.causePercent());
        return metrics;
    }

    /** The rows that a filter leaves, the first one by an order first; what is no job stays behind the jobs. */
    static List<JobTable.Row> ranked(JobTable jobs, TopOrder order, TopFilter filter, int most) {
        JobColumn by = column(order);
        List<JobTable.Row> rows = new ArrayList<>(
                jobs.rows().stream().filter(row -> filter.keepsJob(row.name())).toList());
        rows.sort(Comparator.comparing((JobTable.Row row) -> !row.isJob())
                .thenComparing(Comparator.comparingDouble((JobTable.Row row) -> row.value(by))
                        .reversed()));
        return rows.subList(0, Math.min(most, rows.size()));
    }

    private static JobColumn column(TopOrder order) {
        return switch (order) {
            case CPU -> JobColumn.CPU;
            case WAIT -> JobColumn.WAIT;
            case SWITCHES -> JobColumn.SLICES;
        };
    }

    /** A table, its head first. */
    static List<String> lines(TopFrame frame) {
        Table table = new Table(
                ">" + TopPage.title("CPU %", TopOrder.CPU, frame),
                ">" + TopPage.title("WAIT %", TopOrder.WAIT, frame),
                ">P99",
                ">MAX",
                ">" + TopPage.title("SLICES/S", TopOrder.SWITCHES, frame),
                ">SENT/S",
                ">RECEIVED/S",
                "JOB",
                "WAITED FOR (%)");
        for (JobTable.Row job : frame.jobs()) {
            table.row(
                    TopPage.number(job.value(JobColumn.CPU)),
                    share(job.value(JobColumn.WAIT)),
                    time(job.value(JobColumn.WAIT_P99)),
                    time(job.value(JobColumn.WAIT_MAX)),
                    TopPage.number(job.value(JobColumn.SLICES)),
                    bytes(job.value(JobColumn.SEND_BYTES)),
                    bytes(job.value(JobColumn.RECEIVE_BYTES)),
                    VisibleText.of(job.name()),
                    causes(job));
        }
        return table.lines();
    }

    private static String share(double percent) {
        return Double.isNaN(percent) ? "-" : TopPage.number(percent);
    }

    private static String time(double micros) {
        return micros > 0 ? TopPage.time(micros) : "-";
    }

    private static String bytes(double bytes) {
        return bytes > 0 ? TopPage.number(bytes) : "-";
    }

    private static String causes(JobTable.Row job) {
        List<String> causes = job.causes().stream()
                .limit(CAUSES)
                .map(cause -> VisibleText.of(cause.name()) + " " + TopPage.number(cause.percent()))
                .toList();
        return causes.isEmpty() ? "-" : String.join(", ", causes);
    }

    /** The same for programs, with all causes. */
    static List<Map<String, Object>> json(TopFrame frame) {
        return frame.jobs().stream().map(job -> job.asMap(SHOWN)).toList();
    }
}
