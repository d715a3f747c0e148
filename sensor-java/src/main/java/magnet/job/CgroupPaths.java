// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import java.util.Arrays;
import java.util.Optional;

/**
 * The paths of cgroups, and which job each of them is. The kernel does not use an id again. Where there is no room, those go that
 * have been removed, and then those that nobody has told since a loss: their end may be what was lost. For one thread.
 */
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
    /** How often something had been lost when it was told. */
    private int[] losses = {};

    private final long[] removed;
    private int removedAt;
    private int lossesNow;
    private int present;
    /** Those of the present ones that were told since the last loss. */
    private int certain;

    private int hand;
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
        losses = Arrays.copyOf(losses, slots);
    }

    /** Something was lost: it may have been the end of any. */
    void lose() {
        lossesNow++;
        certain = 0;
    }

    /** A cgroup is there. Gives whether it needs no path to know it. */
    boolean tell(long cgroup) {
        int slot = cgroups.find(cgroup);
        if (slot == Slots.NONE) {
            return false;
        }
        if (states[slot] == PRESENT && losses[slot] != lossesNow) {
            losses[slot] = lossesNow;
            certain++;
        }
        return true;
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
        int slot = cgroups.isFull() && !dropRemoved() && !dropUncertain() ? Slots.NONE : cgroups.add(cgroup);
        if (slot == Slots.NONE) {
            withoutRoom++;
            return;
        }
        Optional<String> name = names.nameOf(path.endsWith(CUT) ? whole(path) : path);
        paths[slot] = path;
        jobOf[slot] = name.isPresent() ? jobs.enter(name.get()) : 0;
        states[slot] = PRESENT;
        losses[slot] = lossesNow;
        present++;
        certain++;
    }

    void remove(long cgroup) {
        int slot = cgroups.find(cgroup);
        if (slot == Slots.NONE || states[slot] == REMOVED) {
            return;
        }
        end(slot);
        forgetRemoved(removed[removedAt]);
        removed[removedAt] = cgroup;
        removedAt = (removedAt + 1) % removed.length;
    }

    private void end(int slot) {
        states[slot] = REMOVED;
        present--;
        certain -= losses[slot] == lossesNow ? 1 : 0;
        if (jobOf[slot] != 0) {
            jobs.remove(jobOf[slot]);
        }
    }

    /** Goes on where it found the last one: no other becomes uncertain until the next loss. */
    private boolean dropUncertain() {
        if (present == certain) {
            return false;
        }
        do {
            hand = (hand + 1) % cgroups.end();
        } while (states[hand] != PRESENT || losses[hand] == lossesNow);
        end(hand);
        return forgetRemoved(cgroups.key(hand));
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
