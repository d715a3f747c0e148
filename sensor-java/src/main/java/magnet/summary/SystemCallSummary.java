// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.SCHED_PROCESS_EXIT;
import static magnet.record.EventType.SYS_ENTER;
import static magnet.record.EventType.SYS_EXIT;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import magnet.metric.MetricSnapshot;
import magnet.metric.SystemCallMetrics;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * System calls: how many, how many failed, how long they took, and which took longest. For one thread.
 *
 * <p>A call's time runs from its entry to its return in one thread, and is that of the number that it was entered with.
 * Calls that do not return (exit), and those that return where they were not entered (a new thread), have none. The
 * calls of 32-bit programs have other numbers: they are counted, but not among the slowest.
 */
final class SystemCallSummary extends BuiltInHandler {
    private static final Set<String> MEANT_TO_WAIT = Set.of(
            "accept",
            "accept4",
            "clock_nanosleep",
            "epoll_pwait",
            "epoll_pwait2",
            "epoll_wait",
            "flock",
            "futex",
            "futex_waitv",
            "io_getevents",
            "io_pgetevents",
            "io_uring_enter",
            "mq_timedreceive",
            "msgrcv",
            "nanosleep",
            "pause",
            "poll",
            "ppoll",
            "pselect6",
            "restart_syscall",
            "rt_sigsuspend",
            "rt_sigtimedwait",
            "select",
            "semop",
            "semtimedop",
            "wait4",
            "waitid");

    private static final int CAPACITY = 8_192;
    private static final int ENTERED = 1;
    /** Numbers of calls that are told apart. */
    static final int NUMBERS = 1_024;

    private static final long ERRNO_MAX = 4_095;

    private final Quality quality;
    private final TimerScale scale;
    private final Machine machine;
    private final boolean[] waits = new boolean[NUMBERS];
    private final OpenIntervals open = new OpenIntervals(CAPACITY);
    private final WindowedCount calls;
    private final WindowedCount errors;
    private final WindowedDistribution times;
    private final WindowedBuckets buckets;
    /** By slot and number of the call. */
    private final long[][] longest;

    private int current;

    SystemCallSummary(int slots, TimerScale scale, Quality quality, Machine machine) {
        this.quality = quality;
        this.scale = scale;
        this.machine = machine;
        this.calls = new WindowedCount(slots);
        this.errors = new WindowedCount(slots);
        this.times = new WindowedDistribution(slots, scale);
        this.buckets = new WindowedBuckets(SystemCallMetrics.BUCKETS, slots, scale);
        this.longest = new long[slots][NUMBERS];
        for (int number = 0; number < NUMBERS; number++) {
            waits[number] = isMeantToWait(machine.systemCallName(number));
        }
    }

    /** Whether how long a call of this name takes says nothing of the kernel. */
    static boolean isMeantToWait(String name) {
        return MEANT_TO_WAIT.contains(name);
    }

    @Override
    Set<EventType> events() {
        return EnumSet.of(SYS_ENTER, SYS_EXIT, SCHED_PROCESS_EXIT);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        if (type == SYS_ENTER) {
            boolean foreign = record.payloadU32(Payload.SYS_ENTER_COMPAT_OFFSET) != 0;
            int place = open.open(record.tid(), 0, record.timer(), ENTERED);
            open.note(place, foreign ? NUMBERS : record.abstractId());
        } else if (type == SYS_EXIT) {
            onReturn(record);
        } else {
            forget(record.tid());
        }
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    private void forget(long tid) {
        int place = open.find(tid, 0);
        if (place != OpenIntervals.NONE) {
            open.close(place);
        }
    }

    private void onReturn(RecordFlyweight record) {
        long returned = record.payloadU64(Payload.SYS_EXIT_RET_OFFSET);
        calls.increment();
        // What a return from a signal handler returns is not its own, and has no number any more.
        if (returned < 0 && returned >= -ERRNO_MAX && record.abstractId() >= 0) {
            errors.increment();
        }
        int place = open.find(record.tid(), 0);
        if (place == OpenIntervals.NONE) {
            return;
        }
        long number = open.note(place);
        long ticks = quality.length(record.timer() - open.begin(place));
        open.close(place);
        boolean known = number >= 0 && number < NUMBERS;
        if (known && waits[(int) number]) {
            return;
        }
        times.record(ticks);
        buckets.record(ticks);
        if (known) {
            longest[current][(int) number] = Math.max(longest[current][(int) number], ticks);
        }
    }

    @Override
    void onLost(int cpu) {
        quality.dropByLoss(open.closeAll());
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        quality.evict(open.takeEvicted());
        snapshot.putRate(SystemCallMetrics.RATE, calls.sum());
        snapshot.putRate(SystemCallMetrics.ERRORS, errors.sum());
        times.put(SystemCallMetrics.TIME, snapshot);
        buckets.put(snapshot);
        putSlowest(snapshot);
    }

    private void putSlowest(MetricSnapshot.Builder snapshot) {
        long[] max = new long[NUMBERS];
        for (long[] slot : longest) {
            for (int number = 0; number < NUMBERS; number++) {
                max[number] = Math.max(max[number], slot[number]);
            }
        }
        for (int place = 0; place < SystemCallMetrics.PLACES; place++) {
            int slowest = 0;
            for (int number = 1; number < NUMBERS; number++) {
                slowest = max[number] > max[slowest] ? number : slowest;
            }
            if (max[slowest] == 0) {
                return;
            }
            snapshot.put(SystemCallMetrics.SLOWEST_TIMES.get(place), scale.toMicros(max[slowest]));
            snapshot.putText(SystemCallMetrics.SLOWEST_NAMES.get(place), machine.systemCallName(slowest));
            max[slowest] = 0;
        }
    }

    @Override
    public void advance() {
        calls.advance();
        errors.advance();
        times.advance();
        buckets.advance();
        current = (current + 1) % longest.length;
        Arrays.fill(longest[current], 0);
    }
}
