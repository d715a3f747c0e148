// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import java.util.Arrays;

/**
 * Which cgroup each process is in, as of the youngest record about it: where a record comes late, because another CPU logged
 * it, what a younger one has told stays. For one thread.
 */
final class ProcessCgroups {
    private static final byte FREE = 0;
    private static final byte RUNS = 1;
    /** A task_attach told that it was made, and its fork has not been read. */
    private static final byte MADE = 2;

    private static final byte ENDED = 3;

    private final Slots processes;
    private long[] cgroups = {};
    /** When that was told. */
    private long[] timers = {};
    /** How often something had been lost by then. */
    private int[] losses = {};

    private byte[] states = {};
    /** Where in {@link #ended} the process stands. */
    private int[] ends = {};

    private final long[] ended;
    private int endedAt;
    private int lossesNow;
    /** Processes that were told since the last loss. */
    private int certain;

    private int hand;
    private long youngest;
    /** Until when something may have been lost. */
    private long lostAt;

    private long withoutRoom;

    /**
     * Nobody knows anything.
     *
     * @param most processes that there is room for
     * @param endedKept of how many that have ended the cgroup is kept
     */
    ProcessCgroups(int most, int endedKept) {
        this.processes = new Slots(most, this::resize);
        this.ended = new long[endedKept];
    }

    private void resize(int slots) {
        cgroups = Arrays.copyOf(cgroups, slots);
        timers = Arrays.copyOf(timers, slots);
        losses = Arrays.copyOf(losses, slots);
        states = Arrays.copyOf(states, slots);
        ends = Arrays.copyOf(ends, slots);
    }

    /** Whose cgroup a process is in; 0 if that is not known. */
    long cgroup(int process) {
        int slot = processes.find(process);
        return slot != Slots.NONE && isCertain(slot) ? cgroups[slot] : 0;
    }

    /** Hands over all that are known and have not ended. */
    void forEach(Owners.ProcessVisitor visitor) {
        for (int slot = 0; slot < processes.end(); slot++) {
            if (states[slot] != FREE && states[slot] != ENDED && isCertain(slot)) {
                visitor.onProcess((int) processes.key(slot), cgroups[slot]);
            }
        }
    }

    long withoutRoom() {
        return withoutRoom;
    }

    /**
     * From now on nothing is known of any: something was lost.
     *
     * @param timer when it had been lost; what is told later of before is worth nothing
     */
    void lose(long timer) {
        lostAt = Math.max(lostAt, timer);
        lossesNow++;
        certain = 0;
    }

    int losses() {
        return lossesNow;
    }

    /** Timers begin anew: those of before cannot be compared with those to come. */
    void onNewEpoch() {
        Arrays.fill(timers, 0);
        youngest = 0;
        lostAt = 0;
    }

    /** No record that told or lost anything was younger. */
    long now() {
        return Math.max(youngest, lostAt);
    }

    /** A process was there already: who looked while it ended does not bring it back. */
    void present(int process, long cgroup, long timer) {
        int slot = processes.find(process);
        put(slot, process, cgroup, timer, slot != Slots.NONE && states[slot] == ENDED ? ENDED : RUNS);
    }

    /** A process was made there. */
    void made(int process, long cgroup, long timer) {
        put(processes.find(process), process, cgroup, timer, MADE);
    }

    /** A process runs there. */
    void moved(int process, long cgroup, long timer) {
        put(processes.find(process), process, cgroup, timer, RUNS);
    }

    /** A task_attach about the child comes with it, before or behind. A child elsewhere is told by that one. */
    void forked(int parent, int child, long timer) {
        int slot = processes.find(child);
        if (slot != Slots.NONE && isCertain(slot) && states[slot] == MADE) {
            states[slot] = RUNS;
            return;
        }
        if (isLate(slot, timer)) {
            return;
        }
        long cgroup = cgroup(parent);
        if (cgroup != 0) {
            put(slot, child, cgroup, timer, RUNS);
        } else if (slot != Slots.NONE) {
            remove(slot);
        }
    }

    /** The last thread of a process has ended. */
    void exited(int process, long timer) {
        int slot = processes.find(process);
        if (slot == Slots.NONE || states[slot] == ENDED || isLate(slot, timer)) {
            return;
        }
        states[slot] = ENDED;
        timers[slot] = timer;
        forgetEnded(endedAt);
        ended[endedAt] = process;
        ends[slot] = endedAt;
        endedAt = (endedAt + 1) % ended.length;
    }

    private boolean isCertain(int slot) {
        return losses[slot] == lossesNow;
    }

    private boolean isLate(int slot, long timer) {
        return slot != Slots.NONE && timers[slot] > timer;
    }

    private void put(int known, int process, long cgroup, long timer, byte state) {
        youngest = Math.max(youngest, timer);
        int slot = known;
        if (isLate(slot, timer) || timer < lostAt) {
            return;
        }
        if (slot == Slots.NONE) {
            slot = add(process);
            if (slot == Slots.NONE) {
                withoutRoom++;
                return;
            }
            certain++;
        } else if (!isCertain(slot)) {
            certain++;
        }
        cgroups[slot] = cgroup;
        timers[slot] = timer;
        losses[slot] = lossesNow;
        states[slot] = state;
    }

    /** Who is not certain has no owner anyway, and may have ended unseen. */
    private int add(int process) {
        if (processes.isFull() && !dropUncertain()) {
            dropEnded();
        }
        return processes.add(process);
    }

    /** Goes on where it found the last one: no other becomes uncertain until the next loss. */
    private boolean dropUncertain() {
        if (processes.size() == certain) {
            return false;
        }
        int slots = processes.end();
        for (int looked = 0; looked < slots; looked++) {
            hand = (hand + 1) % slots;
            if (states[hand] != FREE && !isCertain(hand)) {
                remove(hand);
                return true;
            }
        }
        return false;
    }

    private void dropEnded() {
        for (int i = 0; i < ended.length; i++) {
            if (forgetEnded((endedAt + i) % ended.length)) {
                return;
            }
        }
    }

    /** One whose id is used again has not ended. */
    private boolean forgetEnded(int at) {
        int slot = ended[at] == 0 ? Slots.NONE : processes.find(ended[at]);
        ended[at] = 0;
        if (slot == Slots.NONE || states[slot] != ENDED || ends[slot] != at) {
            return false;
        }
        remove(slot);
        return true;
    }

    private void remove(int slot) {
        certain -= isCertain(slot) ? 1 : 0;
        states[slot] = FREE;
        processes.remove(slot);
    }
}
