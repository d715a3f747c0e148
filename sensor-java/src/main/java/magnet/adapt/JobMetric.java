// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.config.NearestName;
import magnet.metric.JobColumn;
import magnet.metric.JobMetrics;
import magnet.metric.JobTable;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;

/**
 * What one job does, as a condition names it: {@code job:NAME METRIC}. Immutable.
 *
 * @param job the job's name, such as {@code slurm:4711}
 * @param column what of it
 */
record JobMetric(String job, JobColumn column) {
    private static final Pattern WRITTEN = Pattern.compile("\\s*job:(\\S+)\\s+(.*)");

    /**
     * A condition of a job in two parts.
     *
     * @param job the job's name
     * @param bound the rest, a bound of one of its metrics
     */
    record Text(String job, String bound) {}

    /** What a text says that begins with {@code job:}; empty if it does not. */
    static Optional<Text> parse(String text) {
        Matcher matcher = WRITTEN.matcher(text);
        return matcher.matches() ? Optional.of(new Text(matcher.group(1), matcher.group(2))) : Optional.empty();
    }

    /**
     * Of a job.
     *
     * @param key of one of {@link JobColumn}
     * @throws IllegalArgumentException if there is none such
     */
    static JobMetric of(String job, String key) {
        List<String> keys =
                Arrays.stream(JobColumn.values()).map(JobColumn::key).toList();
        return Arrays.stream(JobColumn.values())
                .filter(column -> column.key().equals(key))
                .findFirst()
                .map(column -> new JobMetric(job, column))
                .orElseThrow(() -> new IllegalArgumentException("jobs have no metric '" + key + "'; "
                        + NearestName.near(key, keys)
                                .map(near -> "did you mean '" + near + "'?")
                                .orElseGet(() -> "they have " + String.join(", ", keys))));
    }

    /** A metric that is measured as this one is. */
    Metric measured() {
        return JobMetrics.allSlots().get(0).of(column);
    }

    /** Its value: 0 of a job that is not there, or does nothing; empty if it may be one of {@link JobTable#REST}. */
    OptionalDouble in(MetricSnapshot snapshot) {
        JobTable jobs = snapshot.jobs();
        Optional<JobTable.Row> row = jobs.row(job);
        if (row.isEmpty() && jobs.row(JobTable.REST).isPresent()) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(row.map(of -> of.value(column)).orElse(0.0));
    }

    @Override
    public String toString() {
        return "job:" + job + " " + column.key();
    }
}
