// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a thread waits for that leaves its CPU, in the words that {@code State} of {@code /proc/PID/status} has (proc(5)). The
 * bits are those of the kernels since 4.14. Stateless.
 */
final class TaskState {
    private static final long RUNNABLE = 0;
    private static final long SLEEPING = 0x1;
    private static final long DISK_SLEEP = 0x2;
    private static final long STOPPED = 0x4;
    private static final long TRACED = 0x8;
    private static final long EXIT_DEAD = 0x10;
    private static final long ZOMBIE = 0x20;
    private static final long PARKED = 0x40;
    private static final long DEAD = 0x80;
    /** With others: a deadly signal wakes it. */
    private static final long WAKEKILL = 0x100;

    private static final long IDLE = 0x402;
    private static final long LOCK = 0x1000;
    /** With others: the freezer may take it. */
    private static final long FREEZABLE = 0x2000;

    private static final long FROZEN = 0x8000;
    private static final long REPORTED = 0x7f;

    /** The values that kernels give, in the order of numbers. */
    private static final long[] VALUES = {
        RUNNABLE,
        SLEEPING,
        DISK_SLEEP,
        STOPPED,
        TRACED,
        EXIT_DEAD,
        ZOMBIE,
        PARKED,
        DEAD,
        WAKEKILL | DISK_SLEEP,
        WAKEKILL | STOPPED,
        WAKEKILL | TRACED,
        IDLE,
        LOCK,
        FREEZABLE | SLEEPING,
        FREEZABLE | DISK_SLEEP,
        FREEZABLE | WAKEKILL | DISK_SLEEP,
        FREEZABLE | IDLE,
        FROZEN,
        Payload.SCHED_PREEMPTED
    };

    private TaskState() {}

    /** Words of the values that kernels give. */
    static Map<Long, String> words() {
        Map<Long, String> words = new LinkedHashMap<>();
        for (long value : VALUES) {
            String word = word(value);
            if (word != null) {
                words.put(value, word);
            }
        }
        return words;
    }

    /** Of the values that have one word, a single one; a value without a word is itself. Allocates nothing. */
    static long representative(long state) {
        if ((state & Payload.SCHED_PREEMPTED) != 0) {
            return Payload.SCHED_PREEMPTED;
        }
        if ((state & IDLE) == IDLE) {
            return IDLE;
        }
        if ((state & (LOCK | FROZEN)) != 0) {
            return DISK_SLEEP;
        }
        if ((state & DEAD) != 0) {
            return DEAD;
        }
        long highest = Long.highestOneBit(state & REPORTED);
        return highest == EXIT_DEAD ? DEAD : highest == 0 ? state : highest;
    }

    /** As the kernel reports it: of several states the highest. */
    static @Nullable String word(long state) {
        long one = representative(state);
        if (one == Payload.SCHED_PREEMPTED) {
            return "preempted";
        }
        if (one == IDLE) {
            return "idle";
        }
        if (one == DEAD) {
            return "dead";
        }
        long highest = Long.highestOneBit(one & REPORTED);
        if (highest == SLEEPING) {
            return "sleeping";
        } else if (highest == DISK_SLEEP) {
            return "disk_sleep";
        } else if (highest == STOPPED) {
            return "stopped";
        } else if (highest == TRACED) {
            return "tracing_stop";
        } else if (highest == ZOMBIE) {
            return "zombie";
        } else if (highest == PARKED) {
            return "parked";
        }
        return state == RUNNABLE ? "runnable" : null;
    }
}
