// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.record.EventType.CGROUP_MKDIR;
import static magnet.record.EventType.CGROUP_RMDIR;
import static magnet.record.EventType.SCHED_MIGRATE_TASK;
import static magnet.record.EventType.SCHED_PROCESS_EXIT;
import static magnet.record.EventType.SCHED_PROCESS_FORK;
import static magnet.record.EventType.SCHED_SWITCH;
import static magnet.record.EventType.SCHED_WAKEUP;
import static magnet.record.EventType.TASK_ATTACH;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import magnet.record.EventType;

/**
 * Metrics of group jobs: {@value #SLOTS} fixed slots, in the order of CPU time, for frontends that keep a file for each
 * metric. Jobs come and go, so no metric's name has a job in it.
 */
public final class JobMetrics {
    /** Jobs that have metrics of their own. */
    public static final int SLOTS = 4;

    private static final List<Slot> ALL_SLOTS = slots();

    private JobMetrics() {}

    /**
     * The metrics of one slot. Immutable.
     *
     * @param name the job
     * @param columns by {@link JobColumn#index()}
     * @param cause who made it wait longest
     * @param causePercent how long that was
     */
    public record Slot(Metric name, List<Metric> columns, Metric cause, Metric causePercent) {
        public Slot {
            columns = List.copyOf(columns);
        }

        /** The metric of a column. */
        public Metric of(JobColumn column) {
            return columns.get(column.index());
        }

        private List<Metric> all() {
            List<Metric> all = new ArrayList<>();
            all.add(name);
            all.addAll(columns);
            all.add(cause);
            all.add(causePercent);
            return all;
        }
    }

    /** The slots, the one of the job with the most CPU time first. */
    public static List<Slot> allSlots() {
        return ALL_SLOTS;
    }

    public static List<Metric> all() {
        return ALL_SLOTS.stream().flatMap(slot -> slot.all().stream()).toList();
    }

    private static List<Slot> slots() {
        List<Slot> slots = new ArrayList<>();
        for (int slot = 1; slot <= SLOTS; slot++) {
            slots.add(slot(slot));
        }
        return List.copyOf(slots);
    }

    private static Slot slot(int number) {
        String stem = "magnet_job" + number + "_";
        String title = "Job " + number + " ";
        String which = "Job " + number + " by CPU time: ";
        MetricMaker base = MetricMaker.of(
                        MetricGroup.JOBS,
                        SCHED_SWITCH,
                        SCHED_PROCESS_FORK,
                        SCHED_PROCESS_EXIT,
                        TASK_ATTACH,
                        CGROUP_MKDIR,
                        CGROUP_RMDIR)
                .joinedByThread();
        List<Metric> columns = Arrays.stream(JobColumn.values())
                .map(column -> base.and(column.events().toArray(new EventType[0]))
                        .at(column.level())
                        .number(
                                stem + column.key(),
                                column.unit(),
                                title + column.title(),
                                which + column.what(),
                                column.kind() == JobColumn.Kind.COUNT
                                        ? MetricMaker.RATE_DECIMALS
                                        : MetricMaker.TIME_DECIMALS))
                .toList();
        MetricMaker waits = base.and(SCHED_WAKEUP, SCHED_MIGRATE_TASK);
        return new Slot(
                base.text(stem + "job_name", title + "name", which + "its name"),
                columns,
                waits.text(
                        stem + "waited_for_name",
                        title + "waited for",
                        which
                                + "who ran longest on the CPUs that its threads waited for: a job, which may be itself, none or idle"),
                waits.percent(
                        stem + "waited_for_percent",
                        title + "waited for, share",
                        which + "share of the time in which it waited and that one ran"));
    }
}
