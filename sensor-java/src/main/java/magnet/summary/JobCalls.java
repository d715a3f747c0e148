// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Set;
import magnet.metric.JobColumn;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/** Which threads are in system calls: how long those take that are not meant to wait, and which wait for sockets. For one thread. */
final class JobCalls {
    private static final int NUMBERS = SystemCallSummary.NUMBERS;
    private static final int IN_CALL = 1;
    private static final Set<String> OF_SOCKETS =
            Set.of("accept", "accept4", "connect", "recvfrom", "recvmmsg", "recvmsg", "sendmmsg", "sendmsg", "sendto");

    private final boolean[] waits = new boolean[NUMBERS];
    private final boolean[] ofSockets = new boolean[NUMBERS];
    private final JobTimes times;
    /** By thread that is in a call of sockets. */
    private final OpenIntervals atSockets;

    JobCalls(int capacity, JobRows rows, Machine machine) {
        this.times = new JobTimes(capacity, rows);
        this.atSockets = new OpenIntervals(capacity);
        for (int number = 0; number < NUMBERS; number++) {
            String name = machine.systemCallName(number);
            waits[number] = SystemCallSummary.isMeantToWait(name);
            ofSockets[number] = OF_SOCKETS.contains(name);
        }
    }

    /** A thread of a job enters a call. */
    void enter(RecordFlyweight record, int row) {
        long number = record.abstractId();
        boolean known = record.payloadU32(Payload.SYS_ENTER_COMPAT_OFFSET) == 0 && number >= 0 && number < NUMBERS;
        if (known && ofSockets[(int) number]) {
            atSockets.open(record.tid(), 0, record.timer(), IN_CALL);
        }
        if (!known || !waits[(int) number]) {
            times.begin(record.tid(), record.tgid(), row, JobColumn.SYSTEM_CALLS, record.timer());
        }
    }

    /** A thread comes back from a call. */
    void exit(RecordFlyweight record) {
        times.end(record.tid(), record.timer());
        leaveSocket(record.tid());
    }

    private void leaveSocket(long tid) {
        int place = atSockets.find(tid, 0);
        if (place != OpenIntervals.NONE) {
            atSockets.close(place);
        }
    }

    /** Whether a thread is in a call that waits for a socket. */
    boolean isAtNetwork(long tid) {
        return atSockets.find(tid, 0) != OpenIntervals.NONE;
    }

    void forget(long tid) {
        times.forget(tid);
        leaveSocket(tid);
    }

    void forgetAll() {
        times.forgetAll();
        atSockets.closeAll();
    }

    void move(int tgid, int row, long timer) {
        times.move(tgid, row, timer);
    }

    void cut(long timer) {
        times.cut(timer);
    }

    void takeBack(JobRows.OfProcess rowOfProcess) {
        times.takeBack(rowOfProcess);
    }

    void keepRows() {
        times.keepRows();
    }

    /** Of how many calls it was forgotten for want of room that threads are in them, since the last call. */
    long takeEvicted() {
        return times.takeEvicted() + atSockets.takeEvicted();
    }
}
