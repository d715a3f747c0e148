// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;

/**
 * Whose events these are, learnt from records: the cgroup of each process, and the job of each cgroup.
 *
 * <p>Wants {@code task_attach} and {@code cgroup_mkdir}. With {@code cgroup_rmdir}, {@code sched_process_fork} and
 * {@code sched_process_exit} it also knows what has ended. Records come in the order of time, from a buffer or a saved trace, and
 * an answer holds for the time of the last one. Whoever wants the owner before a move asks before handing the record over.
 *
 * <p><b>The end.</b> A process that has ended keeps its owner until its id is used again or {@value #ENDED_KEPT} more have
 * ended: its last time slice ends after its exit. A removed cgroup keeps its path and its job until {@value #REMOVED_KEPT} more
 * have been removed. Then the job's number is free, if this was its last cgroup.
 *
 * <p><b>A loss.</b> A lost record may be one that moved, made or ended a process. So after a loss no process has an owner until
 * a record tells it again: {@code task_attach} about it, or a fork by a process that has been told. {@link #tell} does the same for
 * somebody who has asked elsewhere. The kernel does not use a cgroup's id again, so ids, paths and names stay true; but a job
 * whose removal was lost seems to be there, as {@link #isPresent} tells it. Records of other CPUs that come between the loss and
 * its LOST record are answered as if nothing had been lost.
 *
 * <p><b>The order.</b> Of two records about a process the younger one counts, also if it comes first, as records of several
 * CPUs may. A new epoch of the timer is a new beginning for this.
 *
 * <p><b>Bounds.</b> {@value #PROCESSES_MAX} processes and {@value #CGROUPS_MAX} cgroups. Where they are full, processes go that a
 * loss has left without an owner, then those that have ended; removed cgroups go, then those that nobody has told since a
 * loss. What then has no room has no owner and is counted. Nothing is allocated for an event, but the path and name of a new cgroup, and tables that double. At their
 * bounds they have some 8 MB, and the paths. For one thread.
 */
public final class Owners implements RecordHandler {
    /** Processes that there is room for, those included that have ended and are kept. */
    public static final int PROCESSES_MAX = 1 << 17;
    /** Cgroups that there is room for, removed ones included. */
    public static final int CGROUPS_MAX = 1 << 14;

    static final int ENDED_KEPT = 4096;
    static final int REMOVED_KEPT = 1024;

    private static final int HOW_PRESENT = 0;
    private static final int HOW_FORK = 1;

    /** The low bits of what a STORM record is about: the event. */
    private static final int EVENT_MASK = 0xffff;

    private static final Set<EventType> TELLING = EnumSet.of(
            EventType.TASK_ATTACH,
            EventType.CGROUP_MKDIR,
            EventType.CGROUP_RMDIR,
            EventType.SCHED_PROCESS_FORK,
            EventType.SCHED_PROCESS_EXIT);

    /** Gets processes with their cgroups. */
    @FunctionalInterface
    public interface ProcessVisitor {
        /** One of them. */
        void onProcess(int tgid, long cgroup);
    }

    /** Gets cgroups with their paths. */
    @FunctionalInterface
    public interface CgroupVisitor {
        /** One of them. */
        void onCgroup(long cgroup, String path);
    }

    private final Jobs jobs;
    private final ProcessCgroups processes = new ProcessCgroups(PROCESSES_MAX, ENDED_KEPT);
    private final CgroupPaths cgroups;

    /** Owners by a list of jobs. */
    public Owners(JobNames names) {
        this(names, JobListener.NONE);
    }

    /** @param listener learns which numbers mean which jobs */
    public Owners(JobNames names, JobListener listener) {
        this.jobs = new Jobs(listener);
        this.cgroups = new CgroupPaths(names, jobs, CGROUPS_MAX, REMOVED_KEPT);
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int event = record.event();
        if (event == EventType.TASK_ATTACH.id()) {
            attach(record);
        } else if (event == EventType.SCHED_PROCESS_FORK.id()) {
            int child = (int) record.payloadU32(Payload.FORK_CHILD_TGID_OFFSET);
            if ((int) record.abstractId() == child) {
                processes.forked(record.tgid(), child, record.timer());
            }
        } else if (event == EventType.SCHED_PROCESS_EXIT.id()) {
            if (record.payloadU32(Payload.EXIT_GROUP_DEAD_OFFSET) != 0) {
                processes.exited(record.tgid(), record.timer());
            }
        } else if (event == EventType.CGROUP_MKDIR.id()) {
            if (!cgroups.tell(record.abstractId())) {
                cgroups.add(record.abstractId(), pathIn(record));
            }
        } else if (event == EventType.CGROUP_RMDIR.id()) {
            cgroups.remove(record.abstractId());
        } else if (event == EventType.LOST.id() || isRefused(event, record)) {
            lose(record.timer());
        }
    }

    private void attach(RecordFlyweight record) {
        int process = (int) record.abstractId();
        long cgroup = record.payloadU64(Payload.TASK_ATTACH_CGROUP_OFFSET);
        switch ((int) record.payloadU32(Payload.TASK_ATTACH_HOW_OFFSET)) {
            case HOW_PRESENT -> processes.present(process, cgroup, record.timer());
            case HOW_FORK -> processes.made(process, cgroup, record.timer());
            default -> processes.moved(process, cgroup, record.timer());
        }
    }

    /** Whether a storm guard refused events that tell owners. */
    private static boolean isRefused(int event, RecordFlyweight record) {
        if (event != EventType.STORM.id()) {
            return false;
        }
        EventType about = EventType.ofId((int) record.abstractId() & EVENT_MASK);
        return about != null && TELLING.contains(about);
    }

    @Override
    public void onGap(int cpu) {
        lose(processes.now());
    }

    /**
     * Something was lost that may have told owners.
     *
     * @param timer nothing of it is younger: what is read later, but is older, may not be the last word
     */
    public void lose(long timer) {
        processes.lose(timer);
        cgroups.lose();
    }

    @Override
    public void onNewEpoch(int cpus) {
        processes.onNewEpoch();
    }

    /** A process is in a cgroup, by somebody who knows it from elsewhere as of now. */
    public void tell(int tgid, long cgroup) {
        processes.present(tgid, cgroup, processes.now());
    }

    /** A cgroup is there, by somebody who knows it from elsewhere. */
    public void tellCgroup(long cgroup, String path) {
        if (!cgroups.tell(cgroup)) {
            cgroups.add(cgroup, path);
        }
    }

    /** Hands over all processes whose cgroup is known and that have not ended, in any order. */
    public void forEachProcess(ProcessVisitor visitor) {
        processes.forEach(visitor);
    }

    /** Hands over all cgroups that are known, removed ones that are kept included, in any order. */
    public void forEachCgroup(CgroupVisitor visitor) {
        cgroups.forEach(visitor);
    }

    /** Whose cgroup a process is in; 0 if that is not known, or may have changed unseen. */
    public long cgroup(int tgid) {
        return processes.cgroup(tgid);
    }

    /** Whether it is known which cgroup this is: if it is no job's, its processes belong to none. False for 0. */
    public boolean isTold(long cgroup) {
        return !path(cgroup).isEmpty();
    }

    /** The path of a cgroup, from the root of the hierarchy; empty if it is not known. Ends with … if it was too long. */
    public String path(long cgroup) {
        return cgroups.path(cgroup);
    }

    /** The job of a process, as a small number; 0 if it belongs to none or its cgroup is not known. */
    public int job(int tgid) {
        long cgroup = cgroup(tgid);
        return cgroup == 0 ? 0 : jobOfCgroup(cgroup);
    }

    /** The job that a cgroup belongs to; 0 if it belongs to none or is not known. */
    public int jobOfCgroup(long cgroup) {
        return cgroups.job(cgroup);
    }

    /** What a job is called; empty for 0 and for numbers that mean no job now. */
    public String name(int job) {
        return jobs.name(job);
    }

    /** The number that a job of this name has; 0 if there is none. */
    public int number(String name) {
        return jobs.number(name);
    }

    /** Whether a job has a cgroup that has not been removed. */
    public boolean isPresent(int job) {
        return jobs.isPresent(job);
    }

    /** No job has this number or a higher one. */
    public int jobsEnd() {
        return jobs.end();
    }

    /** The owner of a process for people: its job, else the path of its cgroup; empty if neither is known. */
    public String owner(int tgid) {
        long cgroup = cgroup(tgid);
        int job = cgroup == 0 ? 0 : jobOfCgroup(cgroup);
        return job != 0 ? name(job) : path(cgroup);
    }

    /** How often something was lost. */
    public int losses() {
        return processes.losses();
    }

    /** How often a process had no room. */
    public long processesWithoutRoom() {
        return processes.withoutRoom();
    }

    /** How often a cgroup had no room. */
    public long cgroupsWithoutRoom() {
        return cgroups.withoutRoom();
    }

    private static String pathIn(RecordFlyweight record) {
        ByteBuffer buffer = record.buffer();
        int from = record.payloadOffset() + Payload.CGROUP_PATH_OFFSET;
        long whole = record.payloadU32(Payload.CGROUP_PATH_LEN_OFFSET);
        int room = Payload.CGROUP.size() - Payload.CGROUP_PATH_OFFSET;
        int length = 0;
        while (length < room && buffer.get(from + length) != 0) {
            length++;
        }
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = buffer.get(from + i);
        }
        String path = new String(bytes, StandardCharsets.UTF_8);
        return whole > length ? path + CgroupPaths.CUT : path;
    }
}
