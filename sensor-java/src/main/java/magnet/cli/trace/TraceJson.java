// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import magnet.cli.world.ProcessOrJob;
import magnet.json.Json;
import magnet.metric.JobColumn;
import magnet.summary.DiscardCounts;

/** What was made of a saved trace, as one JSON object; docs/traces.md describes it. Stateless. */
public final class TraceJson {
    private static final List<JobColumn> WAITS =
            List.of(JobColumn.WAIT, JobColumn.WAIT_P50, JobColumn.WAIT_P99, JobColumn.WAIT_MAX);

    private TraceJson() {}

    /**
     * The object, in one line.
     *
     * @param name the trace's
     * @param by JOB tells of jobs as well as of processes
     * @param most processes and jobs
     */
    static String of(TraceFigures figures, String name, ProcessOrJob by, int most) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("trace", name);
        report.put("host", figures.trace.host());
        report.put("layout", figures.trace.layout().name().toLowerCase(Locale.ROOT));
        report.put("cpus", figures.trace.cpus());
        report.put("events", figures.summary.events());
        report.put("lost", figures.summary.lost());
        figures.trace.overwritten().ifPresent(each -> {
            report.put("recorder", each.recorder());
            report.put("overwritten", each.records());
        });
        report.put("clock_jumps", figures.trace.jumps());
        report.put("unmeasured", unmeasured(figures.summary.discards()));
        if (figures.summary.events() > 0) {
            report.put("begin", figures.begin().toString());
            report.put("end", figures.end().toString());
            report.put("seconds", figures.seconds());
            report.put("by_event", byEvent(figures));
            report.put("by_cpu", byCpu(figures));
            report.put("by_process", byProcess(figures, most));
            if (by == ProcessOrJob.JOB) {
                report.put("by_job", byJob(figures, most));
            }
            Map<String, Object> metrics = new LinkedHashMap<>();
            figures.metrics().forEach((metric, value) -> metrics.put(metric.name(), value));
            report.put("metrics", metrics);
            Map<String, Object> handlers = new LinkedHashMap<>();
            figures.handlers().forEach(each -> handlers.put(each.metric().name(), each.value()));
            report.put("handlers", handlers);
        }
        return Json.of(report);
    }

    private static Map<String, Object> unmeasured(DiscardCounts discards) {
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("lost", discards.lost());
        counts.put("unpaired", discards.unpaired());
        counts.put("evicted", discards.evicted());
        return counts;
    }

    private static Map<String, Object> byEvent(TraceFigures figures) {
        Map<String, Object> counts = new LinkedHashMap<>();
        figures.events().forEach(each -> counts.put(each.name(), each.count()));
        return counts;
    }

    private static List<Map<String, Object>> byCpu(TraceFigures figures) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (TraceFigures.OfCpu cpu : figures.cpus()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("cpu", cpu.number());
            row.put("events", cpu.events());
            row.put("lost", cpu.lost());
            row.put("refused", cpu.refused());
            rows.add(row);
        }
        return rows;
    }

    private static List<Map<String, Object>> byProcess(TraceFigures figures, int most) {
        List<Map<String, Object>> rows = new ArrayList<>();
        boolean switches = figures.hasSwitches();
        for (TraceFigures.OfProcess process : figures.processes(most)) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("tgid", process.tgid());
            row.put("name", process.name());
            row.put("events", process.events());
            if (switches) {
                row.put("cpu_ms", process.millis());
                row.put("slices", process.slices());
            }
            if (!process.owner().isEmpty()) {
                row.put("owner", process.owner());
            }
            rows.add(row);
        }
        return rows;
    }

    private static List<Map<String, Object>> byJob(TraceFigures figures, int most) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (TraceFigures.OfJob job : figures.jobs(most)) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("job", job.job());
            row.put("events", job.events());
            if (figures.hasSwitches()) {
                row.put("cpu_ms", job.millis());
                row.put("slices", job.slices());
            }
            job.waits().ifPresent(waits -> {
                row.putAll(waits.asMap(WAITS));
                row.put("job", job.job());
            });
            rows.add(row);
        }
        return rows;
    }
}
