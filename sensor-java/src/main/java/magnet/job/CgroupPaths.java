// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import java.util.Arrays;
import java.util.Optional;

/** The paths of cgroups, and which job each of them is. The kernel does not use an id again. For one thread. */
final class CgroupPaths {
    /** What the end of a path that was too long is replaced with. */
    static final String CUT = "…";

    private static final byte FREE = 0;
    private static final byte PRESENT = 1;
    private static final byte REMOVED = 2;

    private final JobNames names;
    private final Jobs jobs;
    private final Slots cgroups;
    private String[] paths = {};
    private int[] jobOf = {};
    private byte[] states = {};
    private final long[] removed;
    private int removedAt;
    private long withoutRoom;

    /**
     * Nothing is known.
     *
     * @param most cgroups that there is room for
     * @param removedKept of how many that were removed path and job are kept
     */
    CgroupPaths(JobNames names, Jobs jobs, int most, int removedKept) {
        this.names = names;
        this.jobs = jobs;
        this.cgroups = new Slots(most, this::resize);
        this.removed = new long[removedKept];
    }

    private void resize(int slots) {
        int before = paths.length;
        paths = Arrays.copyOf(paths, slots);
        Arrays.fill(paths, before, slots, "");
        jobOf = Arrays.copyOf(jobOf, slots);
        states = Arrays.copyOf(states, slots);
    }

    /** Whether it needs no path to know this one. */
    boolean knows(long cgroup) {
        return cgroups.find(cgroup) != Slots.NONE;
    }

    /** Empty if it is not known. */
    String path(long cgroup) {
        int slot = cgroups.find(cgroup);
        return slot == Slots.NONE ? "" : paths[slot];
    }

    /** 0 if it is none, or not known. */
    int job(long cgroup) {
        int slot = cgroups.find(cgroup);
        return slot == Slots.NONE ? 0 : jobOf[slot];
    }

    /** Hands over all that are known, also those that were removed. */
    void forEach(Owners.CgroupVisitor visitor) {
        for (int slot = 0; slot < cgroups.end(); slot++) {
            if (states[slot] != FREE) {
                visitor.onCgroup(cgroups.key(slot), paths[slot]);
            }
        }
    }

    long withoutRoom() {
        return withoutRoom;
    }

    /** A cgroup that is not known is there. */
    void add(long cgroup, String path) {
        int slot = cgroups.isFull() && !dropRemoved() ? Slots.NONE : cgroups.add(cgroup);
        if (slot == Slots.NONE) {
            withoutRoom++;
            return;
        }
        Optional<String> name = names.nameOf(path.endsWith(CUT) ? whole(path) : path);
        paths[slot] = path;
        jobOf[slot] = name.isPresent() ? jobs.enter(name.get()) : 0;
        states[slot] = PRESENT;
    }

    void remove(long cgroup) {
        int slot = cgroups.find(cgroup);
        if (slot == Slots.NONE || states[slot] == REMOVED) {
            return;
        }
        states[slot] = REMOVED;
        if (jobOf[slot] != 0) {
            jobs.remove(jobOf[slot]);
        }
        forgetRemoved(removed[removedAt]);
        removed[removedAt] = cgroup;
        removedAt = (removedAt + 1) % removed.length;
    }

    private boolean dropRemoved() {
        for (int i = 0; i < removed.length; i++) {
            int at = (removedAt + i) % removed.length;
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
        if (slot == Slots.NONE || states[slot] != REMOVED) {
            return false;
        }
        if (jobOf[slot] != 0) {
            jobs.forget(jobOf[slot]);
        }
        paths[slot] = "";
        states[slot] = FREE;
        cgroups.remove(slot);
        return true;
    }

    /** The part of a path that is told in whole: half a name would be another job's. */
    private static String whole(String cut) {
        return cut.substring(0, Math.max(0, cut.lastIndexOf('/')));
    }
}
