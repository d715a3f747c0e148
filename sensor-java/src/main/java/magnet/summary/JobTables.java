// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import magnet.metric.JobColumn;
import magnet.metric.JobMetrics;
import magnet.metric.JobTable;
import magnet.metric.MetricSnapshot;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Makes the table of a window, and the metrics of its first jobs. For one thread. */
final class JobTables {
    private static final double MEDIAN = 50;
    private static final double HIGH = 99;
    private static final double ALL = 100;

    /** A row as it was when the window ended; its percentiles are found when the snapshot is built. */
    private static final class Counted {
        private final String name;
        private final double[] values;
        private final List<JobTable.Cause> causes;
        private final long @Nullable [] waits;

        Counted(String name, double[] values, List<JobTable.Cause> causes, long @Nullable [] waits) {
            this.name = name;
            this.values = values;
            this.causes = causes;
            this.waits = waits;
        }

        String name() {
            return name;
        }

        double cpu() {
            return values[JobColumn.CPU.index()];
        }

        JobTable.Row row() {
            if (waits != null) {
                double max = values[JobColumn.WAIT_MAX.index()];
                Histogram histogram = TimeCounts.histogram(waits);
                values[JobColumn.WAIT_P50.index()] = WindowedDistribution.micros(histogram, MEDIAN, max);
                values[JobColumn.WAIT_P99.index()] = WindowedDistribution.micros(histogram, HIGH, max);
            }
            return new JobTable.Row(name, values, causes);
        }
    }

    private final JobRows rows;
    private final TimerScale scale;

    JobTables(JobRows rows, TimerScale scale) {
        this.rows = rows;
        this.scale = scale;
    }

    /** @param cpus CPUs that have run anything: more than their time nobody can have run */
    void put(MetricSnapshot.Builder snapshot, int cpus) {
        double seconds = snapshot.seconds();
        List<Counted> jobs = new ArrayList<>();
        for (int row = JobRows.FIRST; row < JobRows.ROWS; row++) {
            if (shownAs(row) == row && !rows.name(row).isEmpty() && !rows.isEmpty(row)) {
                jobs.add(counted(row, seconds, cpus));
            }
        }
        jobs.sort(Comparator.comparingDouble(Counted::cpu).reversed().thenComparing(Counted::name));
        int named = jobs.size();
        for (int row : new int[] {JobRows.REST, JobRows.NO_JOB, JobRows.UNKNOWN}) {
            if (!isEmpty(row)) {
                jobs.add(counted(row, seconds, cpus));
            }
        }
        snapshot.later(with -> putTable(jobs, named, with));
    }

    /** For the thread that builds the snapshot. */
    private static void putTable(List<Counted> jobs, int named, MetricSnapshot.Builder snapshot) {
        List<JobTable.Row> table = jobs.stream().map(Counted::row).toList();
        snapshot.putJobs(new JobTable(table));
        for (int i = 0; i < Math.min(named, JobMetrics.SLOTS); i++) {
            JobMetrics.Slot slot = JobMetrics.allSlots().get(i);
            JobTable.Row job = table.get(i);
            snapshot.putText(slot.name(), job.name());
            for (JobColumn column : JobColumn.values()) {
                snapshot.put(slot.of(column), job.value(column));
            }
            if (!job.causes().isEmpty()) {
                snapshot.putText(slot.cause(), job.causes().get(0).name());
                snapshot.put(slot.causePercent(), job.causes().get(0).percent());
            }
        }
    }

    /** A part is not shown as the whole: it is one of the rest. */
    private int shownAs(int row) {
        return rows.isPartial(row) ? JobRows.REST : row;
    }

    private boolean isEmpty(int shown) {
        for (int row = 0; row < JobRows.ROWS; row++) {
            if (shownAs(row) == shown && !rows.isEmpty(row)) {
                return false;
            }
        }
        return true;
    }

    private long sum(int shown, JobColumn column) {
        long sum = 0;
        for (int row = 0; row < JobRows.ROWS; row++) {
            sum += shownAs(row) == shown ? rows.sum(row, column) : 0;
        }
        return sum;
    }

    private Counted counted(int row, double seconds, int cpus) {
        double[] values = new double[JobColumn.values().length];
        for (JobColumn column : JobColumn.values()) {
            values[column.index()] = value(row, column, seconds);
        }
        // A timer that jumped, which nobody has said yet, must not show as more than there is.
        limit(values, JobColumn.CPU, ALL * cpus);
        limit(values, JobColumn.WAIT, ALL);
        if (row == JobRows.REST) {
            return new Counted(rows.name(row), values, List.of(), null);
        }
        WindowedDistribution waits = rows.waits(row);
        long[] counts = null;
        if (waits != null && waits.count() > 0) {
            counts = waits.counted();
            values[JobColumn.WAIT_MAX.index()] = scale.toMicros(waits.maxTicks());
        }
        return new Counted(rows.name(row), values, causes(row, values[JobColumn.WAIT.index()]), counts);
    }

    private double value(int row, JobColumn column, double seconds) {
        if (row == JobRows.REST && !column.addsUp()) {
            return Double.NaN;
        }
        if (seconds <= 0) {
            return 0;
        }
        return switch (column.kind()) {
            case SHARE -> ALL * scale.toSeconds(sum(row, column)) / seconds;
            case COUNT -> sum(row, column) / seconds;
            case MICROS -> 0;
        };
    }

    private static void limit(double[] values, JobColumn column, double most) {
        values[column.index()] = Math.min(values[column.index()], most);
    }

    /** The time that a job waited, by the share that each had in its threads' waits. */
    private List<JobTable.Cause> causes(int row, double percent) {
        double all = rows.sum(row, JobColumn.WAIT_THREADS);
        long[] ticks = new long[JobRows.ROWS];
        for (int runner = 0; runner < JobRows.ROWS; runner++) {
            ticks[shownAs(runner)] += rows.cause(row, runner);
        }
        List<JobTable.Cause> causes = new ArrayList<>();
        for (int runner = 0; runner < JobRows.ROWS; runner++) {
            if (ticks[runner] > 0) {
                causes.add(new JobTable.Cause(rows.name(runner), percent * ticks[runner] / all));
            }
        }
        causes.sort(
                Comparator.comparingDouble(JobTable.Cause::percent).reversed().thenComparing(JobTable.Cause::name));
        return causes;
    }
}
