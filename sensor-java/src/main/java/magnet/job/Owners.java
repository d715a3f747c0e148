// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
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
 * <p><b>Bounds.</b> {@value #PROCESSES_MAX} processes and {@value #CGROUPS_MAX} cgroups. What has no room has no owner and
 * is counted. Nothing is allocated for an event, but the path and name of a new cgroup, and tables that double. At their
 * bounds they have some 7 MB, and the paths. For one thread.
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
    private static final int FIRST = 1 << 10;
    private static final String CUT = "…";

    private static final byte ENDED = 1;
    /** The low bits of what a STORM record is about: the event. */
    private static final int EVENT_MASK = 0xffff;

    private static final Set<EventType> TELLING = EnumSet.of(
            EventType.TASK_ATTACH,
            EventType.CGROUP_MKDIR,
            EventType.CGROUP_RMDIR,
            EventType.SCHED_PROCESS_FORK,
            EventType.SCHED_PROCESS_EXIT);

    /** A task_attach told that it was made, and its fork has not been read. */
    private static final byte MADE = 2;

    private static final byte REMOVED = 1;

    private final JobNames names;
    private final Jobs jobs;

    private final Slots processes = new Slots(PROCESSES_MAX);
    private long[] cgroupOf = new long[FIRST];
    private int[] lossesOf = new int[FIRST];
    private byte[] stateOf = new byte[FIRST];
    /** Where in {@link #ended} the process stands. */
    private int[] endOf = new int[FIRST];

    private final long[] ended = new long[ENDED_KEPT];
    private int endedAt;

    private final Slots cgroups = new Slots(CGROUPS_MAX);
    private String[] paths = new String[FIRST];
    private int[] jobOf = new int[FIRST];
    private byte[] cgroupState = new byte[FIRST];
    private final long[] removed = new long[REMOVED_KEPT];
    private int removedAt;

    private int losses;
    private long processesWithoutRoom;
    private long cgroupsWithoutRoom;

    /** Owners by a list of jobs. */
    public Owners(JobNames names) {
        this(names, JobListener.NONE);
    }

    /** @param listener learns which numbers mean which jobs */
    public Owners(JobNames names, JobListener listener) {
        this.names = names;
        this.jobs = new Jobs(listener);
        Arrays.fill(paths, "");
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int event = record.event();
        if (event == EventType.TASK_ATTACH.id()) {
            attach((int) record.abstractId(), record.payloadU64(Payload.TASK_ATTACH_CGROUP_OFFSET), (int)
                    record.payloadU32(Payload.TASK_ATTACH_HOW_OFFSET));
        } else if (event == EventType.SCHED_PROCESS_FORK.id()) {
            int child = (int) record.payloadU32(Payload.FORK_CHILD_TGID_OFFSET);
            if ((int) record.abstractId() == child) {
                fork(record.tgid(), child);
            }
        } else if (event == EventType.SCHED_PROCESS_EXIT.id()) {
            if (record.payloadU32(Payload.EXIT_GROUP_DEAD_OFFSET) != 0) {
                exit(record.tgid());
            }
        } else if (event == EventType.CGROUP_MKDIR.id()) {
            make(record);
        } else if (event == EventType.CGROUP_RMDIR.id()) {
            remove(record.abstractId());
        } else if (event == EventType.LOST.id() || isRefused(event, record)) {
            losses++;
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
        losses++;
    }

    /** A process is in a cgroup, by somebody who knows it from elsewhere as of now. */
    public void tell(int tgid, long cgroup) {
        attach(tgid, cgroup, HOW_PRESENT);
    }

    /** Whose cgroup a process is in; 0 if that is not known, or may have changed unseen. */
    public long cgroup(int tgid) {
        int slot = processes.find(tgid);
        return slot != Slots.NONE && lossesOf[slot] == losses ? cgroupOf[slot] : 0;
    }

    /** The path of a cgroup, from the root of the hierarchy; empty if it is not known. Ends with … if it was too long. */
    public String path(long cgroup) {
        int slot = cgroups.find(cgroup);
        return slot == Slots.NONE ? "" : paths[slot];
    }

    /** The job of a process, as a small number; 0 if it belongs to none or its cgroup is not known. */
    public int job(int tgid) {
        long cgroup = cgroup(tgid);
        return cgroup == 0 ? 0 : jobOfCgroup(cgroup);
    }

    /** The job that a cgroup belongs to; 0 if it belongs to none or is not known. */
    public int jobOfCgroup(long cgroup) {
        int slot = cgroups.find(cgroup);
        return slot == Slots.NONE ? 0 : jobOf[slot];
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
        return losses;
    }

    /** How often a process had no room. */
    public long processesWithoutRoom() {
        return processesWithoutRoom;
    }

    /** How often a cgroup had no room. */
    public long cgroupsWithoutRoom() {
        return cgroupsWithoutRoom;
    }

    // ---- processes ----

    private void attach(int tgid, long cgroup, int how) {
        int slot = processes.find(tgid);
        // Told as present by somebody who looked while it ended: it has ended all the same.
        byte state = how == HOW_PRESENT && slot != Slots.NONE ? (byte) (stateOf[slot] & ENDED) : 0;
        put(slot, tgid, cgroup, how == HOW_FORK ? MADE : state);
    }

    /** A task_attach about the child comes with it, before or behind. A child elsewhere is told by that one. */
    private void fork(int parent, int child) {
        int slot = processes.find(child);
        if (slot != Slots.NONE && stateOf[slot] == MADE && lossesOf[slot] == losses) {
            stateOf[slot] = 0;
            return;
        }
        long cgroup = cgroup(parent);
        if (cgroup != 0) {
            put(slot, child, cgroup, (byte) 0);
        } else if (slot != Slots.NONE) {
            processes.remove(slot);
        }
    }

    private void put(int known, int tgid, long cgroup, byte state) {
        int slot = known;
        if (slot == Slots.NONE) {
            if (processes.size() == PROCESSES_MAX) {
                dropEnded();
            }
            slot = processes.add(tgid);
            if (slot == Slots.NONE) {
                processesWithoutRoom++;
                return;
            }
            if (slot == cgroupOf.length) {
                cgroupOf = Arrays.copyOf(cgroupOf, 2 * slot);
                lossesOf = Arrays.copyOf(lossesOf, 2 * slot);
                stateOf = Arrays.copyOf(stateOf, 2 * slot);
                endOf = Arrays.copyOf(endOf, 2 * slot);
            }
        }
        cgroupOf[slot] = cgroup;
        lossesOf[slot] = losses;
        stateOf[slot] = state;
    }

    private void exit(int tgid) {
        int slot = processes.find(tgid);
        if (slot == Slots.NONE || stateOf[slot] == ENDED) {
            return;
        }
        stateOf[slot] = ENDED;
        forgetEnded(endedAt);
        ended[endedAt] = tgid;
        endOf[slot] = endedAt;
        endedAt = (endedAt + 1) % ENDED_KEPT;
    }

    private void dropEnded() {
        for (int i = 0; i < ENDED_KEPT; i++) {
            if (forgetEnded((endedAt + i) % ENDED_KEPT)) {
                return;
            }
        }
    }

    /** One whose id is used again has not ended. */
    private boolean forgetEnded(int at) {
        int slot = ended[at] == 0 ? Slots.NONE : processes.find(ended[at]);
        ended[at] = 0;
        if (slot == Slots.NONE || stateOf[slot] != ENDED || endOf[slot] != at) {
            return false;
        }
        processes.remove(slot);
        return true;
    }

    // ---- cgroups ----

    private void make(RecordFlyweight record) {
        long cgroup = record.abstractId();
        if (cgroups.find(cgroup) != Slots.NONE) {
            return;
        }
        int slot = cgroups.size() == CGROUPS_MAX && !dropRemoved() ? Slots.NONE : cgroups.add(cgroup);
        if (slot == Slots.NONE) {
            cgroupsWithoutRoom++;
            return;
        }
        if (slot == paths.length) {
            paths = Arrays.copyOf(paths, 2 * slot);
            jobOf = Arrays.copyOf(jobOf, 2 * slot);
            cgroupState = Arrays.copyOf(cgroupState, 2 * slot);
        }
        String path = pathIn(record);
        Optional<String> name = names.nameOf(path.endsWith(CUT) ? whole(path) : path);
        paths[slot] = path;
        jobOf[slot] = name.isPresent() ? jobs.enter(name.get()) : 0;
        cgroupState[slot] = 0;
    }

    private void remove(long cgroup) {
        int slot = cgroups.find(cgroup);
        if (slot == Slots.NONE || cgroupState[slot] == REMOVED) {
            return;
        }
        cgroupState[slot] = REMOVED;
        if (jobOf[slot] != 0) {
            jobs.remove(jobOf[slot]);
        }
        forgetRemoved(removed[removedAt]);
        removed[removedAt] = cgroup;
        removedAt = (removedAt + 1) % REMOVED_KEPT;
    }

    private boolean dropRemoved() {
        for (int i = 0; i < REMOVED_KEPT; i++) {
            int at = (removedAt + i) % REMOVED_KEPT;
            boolean dropped = forgetRemoved(removed[at]);
            removed[at] = 0;
            if (dropped) {
                return true;
            }
        }
        return false;
    }

    private boolean forgetRemoved(long cgroup) {
        int slot = cgroup == 0 ? Slots.NONE : cgroups.find(cgroup);
        if (slot == Slots.NONE || cgroupState[slot] != REMOVED) {
            return false;
        }
        if (jobOf[slot] != 0) {
            jobs.forget(jobOf[slot]);
        }
        paths[slot] = "";
        cgroups.remove(slot);
        return true;
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
        return whole > length ? path + CUT : path;
    }

    /** The part of a path that is told in whole: half a name would be another job's. */
    private static String whole(String cut) {
        return cut.substring(0, Math.max(0, cut.lastIndexOf('/')));
    }
}
