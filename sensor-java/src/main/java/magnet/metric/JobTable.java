// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All jobs of a window, the one with the most CPU time first. Immutable.
 *
 * @param rows one for each job of which all is known that it did in the window; behind them {@value #REST}, {@value #NO_JOB}
 *     and {@value #UNKNOWN}, if there are such. While there is {@value #REST}, a job without a row may be one of those; else
 *     it did nothing
 */
public record JobTable(List<Row> rows) {
    /** In place of a name: jobs beyond those that there is room for, all together, and newcomers of which a part is there. */
    public static final String REST = "other jobs";
    /** In place of a name: processes that belong to no job, such as the kernel's own. */
    public static final String NO_JOB = "none";
    /** In place of a name: processes whose owner is not known. */
    public static final String UNKNOWN = "unknown";
    /** In place of a name: nobody ran. */
    public static final String IDLE = "idle";

    private static final Set<String> WORDS = Set.of(REST, NO_JOB, UNKNOWN, IDLE);

    /** Of nobody. */
    public static final JobTable EMPTY = new JobTable(List.of());

    public JobTable {
        rows = List.copyOf(rows);
    }

    /**
     * Who ran while a job waited.
     *
     * @param name the job, or one of the words in place of one
     * @param percent share of the time in which the job waited and this one ran; those of a job add up to {@link JobColumn#WAIT}
     */
    public record Cause(String name, double percent) {
        private Map<String, Object> asMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("name", name);
            map.put("percent", percent);
            return map;
        }
    }

    /** What one job did. Immutable. */
    public static final class Row {
        private final String name;
        private final double[] values;
        private final List<Cause> causes;

        /**
         * @param name the job's, or {@value #REST}
         * @param values by {@link JobColumn#index()}; those of {@value #REST} that do not add up are not a number
         * @param causes who made it wait, the one that did longest first
         */
        public Row(String name, double[] values, List<Cause> causes) {
            this.name = name;
            this.values = Arrays.copyOf(values, JobColumn.values().length);
            this.causes = List.copyOf(causes);
        }

        /** The job's name. */
        public String name() {
            return name;
        }

        /** Whether it is one job, and not what stands in place of one. */
        public boolean isJob() {
            return !WORDS.contains(name);
        }

        /** A figure, in the unit of its column; not a number if nobody knows it ({@link JobColumn#addsUp}). */
        public double value(JobColumn column) {
            return values[column.index()];
        }

        /** Who made it wait, the one that did longest first; empty if it did not wait. */
        public List<Cause> causes() {
            return causes;
        }

        /** The same with others in their place. */
        public Row withCauses(List<Cause> others) {
            return new Row(name, values, others);
        }

        /** For JSON: its name, of these figures those that are known, and who made it wait. */
        public Map<String, Object> asMap(Collection<JobColumn> columns) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("job", name);
            for (JobColumn column : columns) {
                if (!Double.isNaN(value(column))) {
                    map.put(column.jsonKey(), value(column));
                }
            }
            map.put("waited_for", causes.stream().map(Cause::asMap).toList());
            return map;
        }
    }

    /** The row of this name. */
    public Optional<Row> row(String name) {
        return rows.stream().filter(row -> row.name().equals(name)).findFirst();
    }
}
