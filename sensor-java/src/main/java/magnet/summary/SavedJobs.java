// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import magnet.metric.JobMetrics;
import magnet.metric.JobTable;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;
import org.jspecify.annotations.Nullable;

/**
 * How long jobs waited for CPUs in a saved trace, and for whom: as magnetd says it of a window, of one that is as long as the
 * trace. The jobs that come first have figures of their own, as many as magnetd tells apart. Records that tell owners go to
 * {@link #tell}, whatever else is left out; this handler takes those of the scheduler. For one thread.
 */
public final class SavedJobs implements RecordHandler {
    private static final Set<EventType> TELLING = EnumSet.of(
            EventType.TASK_ATTACH,
            EventType.CGROUP_MKDIR,
            EventType.CGROUP_RMDIR,
            EventType.SCHED_PROCESS_FORK,
            EventType.SCHED_PROCESS_EXIT);

    private static final Set<EventType> WANTED =
            EnumSet.of(EventType.SCHED_SWITCH, EventType.SCHED_WAKEUP, EventType.SCHED_MIGRATE_TASK);

    private final Quality quality = new Quality(1);
    private final JobSummary summary;
    private boolean sawSwitch;
    private boolean sawWakeup;
    private long newestTimer;

    /** @param setup with one slot */
    public SavedJobs(SummarySetup setup) {
        this.summary = new JobSummary(setup, quality);
    }

    /**
     * Begins with what the trace says beside its records.
     *
     * @param paths of cgroups, by id
     * @param cgroups of processes
     */
    public void begin(Map<Long, String> paths, Map<Integer, Long> cgroups) {
        summary.tell(paths, cgroups);
    }

    /** Takes what a record says of owners, if it says anything. */
    public void tell(RecordFlyweight record) {
        EventType type = EventType.ofId(record.event());
        if (type != null && TELLING.contains(type)) {
            summary.onRecord(type, record);
        }
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        EventType type = EventType.ofId(record.event());
        if (type == EventType.LOST) {
            lose(record, Payload.LOST_FIRST_TIMER_OFFSET);
        } else if (type == EventType.STORM) {
            lose(record, Payload.STORM_FIRST_TIMER_OFFSET);
        } else if (type == null || type.subsystem() != Subsystem.SENSOR) {
            newestTimer = Math.max(newestTimer, record.timer());
            onEvent(type, record);
        }
    }

    private void onEvent(@Nullable EventType type, RecordFlyweight record) {
        sawSwitch |= type == EventType.SCHED_SWITCH;
        sawWakeup |= type == EventType.SCHED_WAKEUP;
        if (type != null && WANTED.contains(type)) {
            summary.onRecord(type, record);
        }
    }

    private void lose(RecordFlyweight record, int firstOffset) {
        summary.onLost(record.cpu(), record.payloadU64(firstOffset), record.timer());
    }

    @Override
    public void onGap(int cpu) {
        summary.onLost(cpu, newestTimer, newestTimer);
    }

    @Override
    public void onNewEpoch(int cpus) {
        summary.endSlot(0, newestTimer);
        summary.onNewEpoch();
        newestTimer = 0;
    }

    /** Whether the trace has what it takes: events of threads that wait for a CPU, and that get one. */
    public boolean areMeasured() {
        return sawSwitch && sawWakeup;
    }

    /** Waits of which there was no room to take note. */
    public long evicted() {
        return quality.evicted();
    }

    /**
     * What all of it comes to. To be called once.
     *
     * @param seconds from the first event of the trace to the last
     */
    public JobTable table(double seconds) {
        summary.endSlot(0, newestTimer);
        MetricSnapshot.Builder snapshot = MetricSnapshot.of(Instant.EPOCH, seconds, JobMetrics.all());
        summary.put(snapshot);
        return snapshot.build().jobs();
    }
}
