// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.util.Locale;
import magnet.record.Payload;
import magnet.record.WordKind;
import magnet.record.Words;

/** Why a thread left its CPU. */
public enum SliceEnd {
    /** The trace does not say. */
    UNKNOWN(0),
    /** It could run on: another thread took the CPU. */
    PREEMPTED(1),
    /** It waits for something, and signals wake it. */
    SLEEPING(2),
    /** It waits for something that no signal ends, mostly a device. */
    DISK_SLEEP(3),
    STOPPED(4),
    TRACING_STOP(5),
    PARKED(6),
    /** It is a thread of the kernel that has nothing to do. */
    IDLE(7),
    /** It has ended. */
    DEAD(8);

    private static final SliceEnd[] ALL = values();

    private final int number;

    SliceEnd(int number) {
        this.number = number;
    }

    /** What stands for it in the index: its place in this list. */
    int number() {
        return number;
    }

    /** By the state of a {@code sched_switch}. */
    static SliceEnd of(long state) {
        if (state == 0 || (state & Payload.SCHED_PREEMPTED) != 0) {
            return PREEMPTED;
        }
        String word = Words.common().of(WordKind.TASK_STATE, state);
        return word == null ? UNKNOWN : ofWord(word);
    }

    private static SliceEnd ofWord(String word) {
        return switch (word) {
            case "sleeping" -> SLEEPING;
            case "disk_sleep" -> DISK_SLEEP;
            case "stopped" -> STOPPED;
            case "tracing_stop" -> TRACING_STOP;
            case "parked" -> PARKED;
            case "idle" -> IDLE;
            case "dead", "zombie" -> DEAD;
            default -> UNKNOWN;
        };
    }

    /** By its number. */
    static SliceEnd ofNumber(int number) {
        return number >= 0 && number < ALL.length ? ALL[number] : UNKNOWN;
    }

    /** What it is called in answers. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
