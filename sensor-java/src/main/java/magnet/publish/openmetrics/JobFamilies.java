// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import magnet.metric.JobColumn;
import magnet.metric.JobMetrics;
import magnet.metric.JobTable;
import magnet.metric.MetricSnapshot;

/**
 * The jobs of a snapshot as families: one for each column that is published, with a point for each job, and one of who made
 * whom wait. The slots of frontends without labels are left out. Stateless.
 */
final class JobFamilies {
    private static final String STEM = "magnet_job_";
    private static final String JOB = "job";
    private static final String CAUSE = "cause";
    private static final String PERCENT = "%";
    /** Causes of a job's waits that have points of their own: more would be the square of the jobs. */
    private static final int CAUSES = 4;

    private JobFamilies() {}

    static List<GaugeSnapshot> of(MetricSnapshot snapshot) {
        List<JobTable.Row> jobs = snapshot.jobs().rows();
        if (jobs.isEmpty()) {
            return List.of();
        }
        JobMetrics.Slot slot = JobMetrics.allSlots().get(0);
        List<GaugeSnapshot> families = new ArrayList<>();
        Arrays.stream(JobColumn.values())
                .filter(column -> snapshot.value(slot.of(column)).isPresent())
                .forEach(column -> families.add(column(column, jobs)));
        if (snapshot.value(slot.causePercent()).isPresent()) {
            families.add(causes(jobs));
        }
        return families;
    }

    private static GaugeSnapshot column(JobColumn column, List<JobTable.Row> jobs) {
        GaugeName name = GaugeName.of(STEM + column.key(), column.unit());
        GaugeSnapshot.Builder family = Families.builder(name, "Of each job: " + column.what());
        for (JobTable.Row job : jobs) {
            if (!Double.isNaN(job.value(column))) {
                family.dataPoint(Families.point(name, job.value(column), Labels.of(JOB, label(job.name()))));
            }
        }
        return family.build();
    }

    private static GaugeSnapshot causes(List<JobTable.Row> jobs) {
        GaugeName name = GaugeName.of(STEM + "waited_for_percent", PERCENT);
        GaugeSnapshot.Builder family = Families.builder(
                name,
                "Of each job: share of the time in which it waited for a CPU that ran the cause; the " + CAUSES
                        + " that did longest");
        for (JobTable.Row job : jobs) {
            job.causes().stream()
                    .limit(CAUSES)
                    .forEach(cause -> family.dataPoint(Families.point(
                            name, cause.percent(), Labels.of(JOB, label(job.name()), CAUSE, label(cause.name())))));
        }
        return family.build();
    }

    private static String label(String text) {
        return Families.withoutControls(LabelText.of(text));
    }
}
