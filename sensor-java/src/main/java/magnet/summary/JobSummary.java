// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.BLOCK_RQ_COMPLETE;
import static magnet.record.EventType.BLOCK_RQ_ISSUE;
import static magnet.record.EventType.CGROUP_MKDIR;
import static magnet.record.EventType.CGROUP_RMDIR;
import static magnet.record.EventType.KFREE_SKB;
import static magnet.record.EventType.MAJOR_FAULT;
import static magnet.record.EventType.MARK_VICTIM;
import static magnet.record.EventType.MM_VMSCAN_DIRECT_RECLAIM_BEGIN;
import static magnet.record.EventType.MM_VMSCAN_DIRECT_RECLAIM_END;
import static magnet.record.EventType.SCHED_MIGRATE_TASK;
import static magnet.record.EventType.SCHED_PROCESS_EXIT;
import static magnet.record.EventType.SCHED_PROCESS_FORK;
import static magnet.record.EventType.SCHED_SWITCH;
import static magnet.record.EventType.SCHED_WAKEUP;
import static magnet.record.EventType.SKB_CONSUME_UDP;
import static magnet.record.EventType.SYS_ENTER;
import static magnet.record.EventType.SYS_EXIT;
import static magnet.record.EventType.TASK_ATTACH;
import static magnet.record.EventType.TCP_CONSUME;
import static magnet.record.EventType.TCP_RETRANSMIT_SKB;
import static magnet.record.EventType.TCP_SENDMSG;
import static magnet.record.EventType.UDP_SENDMSG;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import magnet.job.Owners;
import magnet.metric.JobColumn;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * What jobs did, and who ran while they waited. For one thread.
 *
 * <p>A record counts for the job of the process that was running when it was logged; a packet that is dropped or sent again, for
 * the job that used its socket last. What goes on when a process moves to another cgroup is split at the move, and what goes
 * on when a slot ends is counted as far as it has come; only the waits of {@link JobColumn#WAIT_P99} and its kin are whole, and
 * count when they end.
 *
 * <p>After a loss no process has an owner until a record tells it again ({@link Owners}), and counts as
 * {@link magnet.metric.JobTable#UNKNOWN}: {@link #takeOwnersLost}.
 */
final class JobSummary extends BuiltInHandler {
    private static final int SLEEPING_CAPACITY = 8_192;
    private static final int CALLS_CAPACITY = 8_192;
    private static final int RECLAIM_CAPACITY = 1_024;

    private static final long SLEEPING = 0x1;
    private static final long UNINTERRUPTIBLE = 0x2;
    /** With the one before: a thread of the kernel that has nothing to do. */
    private static final long NO_LOAD = 0x400;

    private final Quality quality;
    private final JobRows rows;
    private final Owners owners;
    private final JobWaits waits;
    private final JobTimes sleeping;
    private final JobTimes reclaiming;
    private final JobCalls calls;
    private final JobSockets sockets;
    private final JobDisks disks;
    private final JobSlices slices;
    private final JobTables tables;
    /** What was told before there was anybody to hear it is lost as well. */
    private int lossesTold = -1;

    JobSummary(SummarySetup setup, Quality quality) {
        this.quality = quality;
        this.rows = new JobRows(setup.slots(), setup.scale());
        this.owners = new Owners(setup.jobs(), rows);
        this.waits = new JobWaits(setup.cpus(), rows, quality);
        this.sleeping = new JobTimes(SLEEPING_CAPACITY, rows);
        this.reclaiming = new JobTimes(RECLAIM_CAPACITY, rows);
        this.calls = new JobCalls(CALLS_CAPACITY, rows, setup.machine());
        this.sockets = new JobSockets(rows);
        this.disks = new JobDisks(rows);
        this.slices = new JobSlices(setup.cpus(), rows);
        this.tables = new JobTables(rows, setup.scale());
    }

    /** Cgroups by id and those of processes are known from elsewhere. */
    void tell(Map<Long, String> paths, Map<Integer, Long> cgroups) {
        paths.forEach(owners::tellCgroup);
        cgroups.forEach(owners::tell);
    }

    @Override
    Set<EventType> events() {
        return EnumSet.of(
                SCHED_SWITCH,
                SCHED_WAKEUP,
                SCHED_MIGRATE_TASK,
                SCHED_PROCESS_FORK,
                SCHED_PROCESS_EXIT,
                TASK_ATTACH,
                CGROUP_MKDIR,
                CGROUP_RMDIR,
                UDP_SENDMSG,
                TCP_SENDMSG,
                SKB_CONSUME_UDP,
                TCP_CONSUME,
                KFREE_SKB,
                TCP_RETRANSMIT_SKB,
                BLOCK_RQ_ISSUE,
                BLOCK_RQ_COMPLETE,
                MAJOR_FAULT,
                MM_VMSCAN_DIRECT_RECLAIM_BEGIN,
                MM_VMSCAN_DIRECT_RECLAIM_END,
                MARK_VICTIM,
                SYS_ENTER,
                SYS_EXIT);
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        switch (type) {
            case SCHED_SWITCH -> onSwitch(record);
            case SCHED_WAKEUP -> onWakeup(record);
            case SCHED_MIGRATE_TASK ->
                waits.migrate(
                        record.abstractId(), (int) record.payloadU32(Payload.MIGRATE_DEST_CPU_OFFSET), record.timer());
            case TASK_ATTACH -> onAttach(record);
            case SCHED_PROCESS_EXIT -> onExit(record);
            case SCHED_PROCESS_FORK, CGROUP_MKDIR, CGROUP_RMDIR -> owners.onRecord(record);
            case SYS_ENTER -> calls.enter(record, rowOf(record.tgid()));
            case SYS_EXIT -> calls.exit(record);
            case UDP_SENDMSG, TCP_SENDMSG ->
                onData(record, JobColumn.SEND_PACKETS, JobColumn.SEND_BYTES, Payload.SOCK_LEN_OFFSET);
            case SKB_CONSUME_UDP ->
                onData(record, JobColumn.RECEIVE_PACKETS, JobColumn.RECEIVE_BYTES, Payload.PACKET_LEN_OFFSET);
            case TCP_CONSUME ->
                onData(record, JobColumn.RECEIVE_PACKETS, JobColumn.RECEIVE_BYTES, Payload.SOCK_LEN_OFFSET);
            default -> onRare(type, record);
        }
    }

    private void onRare(EventType type, RecordFlyweight record) {
        switch (type) {
            case KFREE_SKB -> sockets.count(record.abstractId(), JobColumn.DROPS, 1);
            case TCP_RETRANSMIT_SKB ->
                sockets.count(
                        record.abstractId(),
                        JobColumn.RETRANSMITS,
                        Math.max(1, record.payloadU32(Payload.RETRANSMIT_SEGMENTS_OFFSET)));
            case BLOCK_RQ_ISSUE -> disks.issue(record, rowOf(record.tgid()));
            case BLOCK_RQ_COMPLETE -> disks.complete(record);
            case MAJOR_FAULT -> rows.add(rowOf(record.tgid()), JobColumn.MAJOR_FAULTS, 1);
            case MM_VMSCAN_DIRECT_RECLAIM_BEGIN ->
                reclaiming.begin(record.tid(), record.tgid(), rowOf(record.tgid()), JobColumn.RECLAIM, record.timer());
            case MM_VMSCAN_DIRECT_RECLAIM_END -> reclaiming.end(record.tid(), record.timer());
            case MARK_VICTIM -> rows.add(rowOf((int) record.abstractId()), JobColumn.OOM_KILLS, 1);
            default -> throw new IllegalStateException(type.label() + " is not asked for");
        }
    }

    private void onSwitch(RecordFlyweight record) {
        int cpu = record.cpu();
        int leaving = record.tid();
        long entering = record.abstractId();
        long timer = record.timer();
        slices.end(cpu, leaving, timer);
        if (leaving != 0) {
            leave(record, leaving, timer);
        }
        int tgid = (int) record.payloadU32(Payload.SCHED_SWITCH_NEXT_TGID_OFFSET);
        int row = entering == 0 ? JobRows.IDLE : rowOf(tgid);
        if (entering != 0) {
            waits.end(entering, timer);
            sleeping.forget(entering);
        }
        waits.run(cpu, row, timer);
        slices.begin(cpu, (int) entering, tgid, row, timer);
    }

    /** A thread leaves its CPU: it waits to run on, or sleeps. */
    private void leave(RecordFlyweight record, int tid, long timer) {
        int tgid = record.tgid();
        int row = rowOf(tgid);
        if (SchedulerSummary.couldRunOn(record)) {
            rows.add(row, JobColumn.PREEMPTIONS, 1);
            waits.begin(tid, tgid, row, record.cpu(), timer);
            return;
        }
        waits.forget(tid, timer);
        long state = record.payloadU32(Payload.SCHED_SWITCH_PREV_STATE_OFFSET);
        if ((state & UNINTERRUPTIBLE) != 0) {
            if ((state & NO_LOAD) == 0) {
                sleeping.begin(tid, tgid, row, JobColumn.BLOCKED, timer);
            }
        } else if ((state & SLEEPING) != 0 && calls.isAtNetwork(tid)) {
            sleeping.begin(tid, tgid, row, JobColumn.NETWORK_WAIT, timer);
        }
    }

    /** One that was still on its CPU, on the way to sleep, does not wait. */
    private void onWakeup(RecordFlyweight record) {
        long tid = record.abstractId();
        int cpu = (int) record.payloadU32(Payload.SCHED_WAKEUP_TARGET_CPU_OFFSET);
        long timer = record.timer();
        sleeping.end(tid, timer);
        if (tid != 0 && !slices.isRunning(cpu, tid)) {
            int tgid = (int) record.payloadU32(Payload.SCHED_WAKEUP_TGID_OFFSET);
            waits.begin(tid, tgid, rowOf(tgid), cpu, timer);
        }
    }

    private void onAttach(RecordFlyweight record) {
        int tgid = (int) record.abstractId();
        int before = rowOf(tgid);
        owners.onRecord(record);
        int now = rowOf(tgid);
        if (now != before) {
            long timer = record.timer();
            waits.move(tgid, now, timer);
            sleeping.move(tgid, now, timer);
            reclaiming.move(tgid, now, timer);
            calls.move(tgid, now, timer);
            slices.move(tgid, now, timer, waits);
        }
    }

    /** The thread is still on its CPU, and leaves it later. */
    private void onExit(RecordFlyweight record) {
        int tid = record.tid();
        waits.forget(tid, record.timer());
        sleeping.forget(tid);
        reclaiming.forget(tid);
        calls.forget(tid);
        owners.onRecord(record);
    }

    private void onData(RecordFlyweight record, JobColumn packets, JobColumn bytes, int lengthOffset) {
        long cgroup = owners.cgroup(record.tgid());
        int job = owners.jobOfCgroup(cgroup);
        int row = rowOf(job, cgroup);
        rows.add(row, packets, 1);
        rows.add(row, bytes, record.payloadU32(lengthOffset));
        sockets.use(record.abstractId(), job != 0 ? rows.user(job) : JobRows.userOfRow(row), record.timer());
    }

    /** The row of a process as of now. */
    private int rowOf(int tgid) {
        long cgroup = owners.cgroup(tgid);
        return rowOf(owners.jobOfCgroup(cgroup), cgroup);
    }

    private int rowOf(int job, long cgroup) {
        if (job != 0) {
            return rows.row(job);
        }
        return owners.isTold(cgroup) ? JobRows.NO_JOB : JobRows.UNKNOWN;
    }

    /** The same without asking for one: the rest if it has none. */
    private int rowIfAny(int tgid) {
        int job = owners.job(tgid);
        return job == 0 ? JobRows.REST : rows.rowIfAny(job);
    }

    @Override
    boolean takeOwnersLost() {
        boolean lost = owners.losses() != lossesTold;
        lossesTold = owners.losses();
        return lost;
    }

    @Override
    long ownersWithoutRoom() {
        return owners.processesWithoutRoom() + owners.cgroupsWithoutRoom();
    }

    @Override
    void onLost(int cpu, long first, long told) {
        // The other summaries have the same open, and count what is thrown away.
        owners.lose(told);
        waits.forgetAll();
        waits.forgetRunner(cpu);
        slices.forget(cpu);
        slices.lose(first, waits);
        sleeping.forgetAll();
        reclaiming.forgetAll();
        calls.forgetAll();
        disks.forgetAll();
    }

    @Override
    void onNewEpoch() {
        owners.onNewEpoch(0);
        waits.newEpoch();
        slices.newEpoch();
    }

    @Override
    void endSlot(long began, long newestTimer) {
        slices.cut(newestTimer);
        waits.bookAll(newestTimer);
        sleeping.cut(newestTimer);
        reclaiming.cut(newestTimer);
        calls.cut(newestTimer);
        slices.takeBack(this::rowIfAny, newestTimer, waits);
        waits.takeBack(this::rowIfAny, newestTimer);
        sleeping.takeBack(this::rowIfAny);
        reclaiming.takeBack(this::rowIfAny);
        calls.takeBack(this::rowIfAny);
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        quality.evict(sleeping.takeEvicted() + reclaiming.takeEvicted() + calls.takeEvicted() + disks.takeEvicted());
        tables.put(snapshot, slices.cpus());
    }

    @Override
    public void advance() {
        rows.makeRoom(row -> {
            waits.onRest(row);
            slices.onRest(row);
        });
        slices.keepRows();
        waits.keepRows();
        sleeping.keepRows();
        reclaiming.keepRows();
        calls.keepRows();
        rows.advance();
    }
}
