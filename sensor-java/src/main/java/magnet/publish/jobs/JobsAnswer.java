// SPDX-License-Identifier: Apache-2.0
package magnet.publish.jobs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.json.Json;
import magnet.metric.JobColumn;
import magnet.metric.JobMetrics;
import magnet.metric.JobTable;
import magnet.metric.MetricSnapshot;

/** The jobs of a snapshot as a line of JSON: all of them, or those of one user without the names of any other. Stateless. */
final class JobsAnswer {
    /** In place of the names of other users' jobs. */
    static final String OTHERS = "others";

    /** Who stands in place of a job without being any. */
    private static final Set<String> NOBODYS = Set.of(JobTable.NO_JOB, JobTable.UNKNOWN, JobTable.IDLE);

    private JobsAnswer() {}

    /** All jobs, and what stands in place of one. */
    static String all(MetricSnapshot snapshot) {
        return text(snapshot, "all", snapshot.jobs().rows());
    }

    /** Some jobs: whoever else made them wait is {@value #OTHERS}. */
    static String own(MetricSnapshot snapshot, Set<String> own) {
        return text(
                snapshot,
                "own",
                snapshot.jobs().rows().stream()
                        .filter(row -> row.isJob() && own.contains(row.name()))
                        .map(row -> discreet(row, own))
                        .toList());
    }

    /** Why there are none. */
    static String error(String why) {
        return line(Map.of("error", why));
    }

    private static JobTable.Row discreet(JobTable.Row row, Set<String> own) {
        Map<String, Double> percents = new LinkedHashMap<>();
        for (JobTable.Cause cause : row.causes()) {
            boolean told = own.contains(cause.name()) || NOBODYS.contains(cause.name());
            percents.merge(told ? cause.name() : OTHERS, cause.percent(), Double::sum);
        }
        List<JobTable.Cause> causes = new ArrayList<>();
        percents.forEach((name, percent) -> causes.add(new JobTable.Cause(name, percent)));
        causes.sort((one, other) -> Double.compare(other.percent(), one.percent()));
        return row.withCauses(causes);
    }

    private static String text(MetricSnapshot snapshot, String whose, List<JobTable.Row> rows) {
        JobMetrics.Slot slot = JobMetrics.allSlots().get(0);
        List<JobColumn> published = Arrays.stream(JobColumn.values())
                .filter(column -> snapshot.value(slot.of(column)).isPresent())
                .toList();
        if (published.isEmpty()) {
            return error("figures of jobs are not published at this level");
        }
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("time", snapshot.taken());
        map.put("seconds", snapshot.windowSeconds());
        map.put("whose", whose);
        map.put("jobs", rows.stream().map(row -> row.asMap(published)).toList());
        return line(map);
    }

    private static String line(Map<String, Object> map) {
        return Json.of(map) + "\n";
    }
}
