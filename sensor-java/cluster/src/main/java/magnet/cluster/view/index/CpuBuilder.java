// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;

/** Makes the lanes of one CPU, of what it is told in the order of time. Times are ticks of the node. For one thread. */
final class CpuBuilder {
    private static final int NOBODY = -1;

    /** Handlers of hard or of soft interrupts: at most one of each kind is under way. */
    private static final class Handlers {
        private final Lane.Builder lane;
        private long since = ThreadStates.NEVER;
        private long number;

        Handlers(PagedFile file) {
            this.lane = new Lane.Builder(file, false);
        }

        void enter(long at, long which) {
            since = at;
            number = which;
        }

        /** Those whose begin and end the trace has are in the lane. */
        void exit(long at, long which) throws IOException {
            if (since != ThreadStates.NEVER && number == which) {
                lane.begin(since, Subject.FIRST + (int) Math.min(Math.max(0, number), Subject.LAST - Subject.FIRST));
                lane.begin(at, Subject.NOTHING);
            }
            since = ThreadStates.NEVER;
        }
    }

    private final int cpu;
    private final Lane.Builder threads;
    private final Waits waits;
    private final Handlers hard;
    private final Handlers soft;
    private final PacketWaits.Builder late;
    /** The thread that has the CPU, if the trace tells when it got it. */
    private int running = NOBODY;

    private int runningSubject;
    private long newest;
    private long received = ThreadStates.NEVER;

    CpuBuilder(int cpu, PagedFile file) throws IOException {
        this.cpu = cpu;
        this.threads = new Lane.Builder(file);
        this.waits = new Waits(file);
        this.hard = new Handlers(file);
        this.soft = new Handlers(file);
        this.late = new PacketWaits.Builder(file);
        begin(0, Subject.UNKNOWN, ThreadStates.NEVER, Cause.NONE);
    }

    /** Which CPU it is. */
    int cpu() {
        return cpu;
    }

    /** The thread that has the CPU; negative if nobody knows. */
    int running() {
        return running;
    }

    /** A record of this CPU. */
    void seen(long at) {
        newest = at;
    }

    /** When the newest record of this CPU was. */
    long newest() {
        return newest;
    }

    /** Waits of threads for this CPU while they have a packet. */
    PacketWaits.Builder late() {
        return late;
    }

    /** The slice that {@link #onSwitch} begins next. */
    long nextSlice() {
        return threads.next();
    }

    /**
     * One thread leaves, another one gets the CPU.
     *
     * @param leaving the subject that ran
     * @param why it leaves
     * @param enters the id of the next thread
     * @param entering its subject
     * @param waited for how long it could have run before; negative if nobody knows
     * @param cause what had made it runnable
     */
    void onSwitch(long at, int leaving, SliceEnd why, int enters, int entering, long waited, Cause cause)
            throws IOException {
        threads.describe(leaving, leaving == Subject.IDLE ? SliceEnd.UNKNOWN : why, running == NOBODY);
        begin(at, entering, waited, cause);
        running = enters;
        runningSubject = entering;
    }

    void onHardEntry(long at, long number) {
        hard.enter(at, number);
    }

    void onHardExit(long at, long number) throws IOException {
        hard.exit(at, number);
    }

    void onSoftEntry(long at, long vector) {
        soft.enter(at, vector);
        received = ThreadStates.NEVER;
    }

    void onSoftExit(long at, long vector) throws IOException {
        soft.exit(at, vector);
        received = ThreadStates.NEVER;
    }

    /** The handler of a soft interrupt has received a packet. */
    void onReceive(long at) {
        received = at;
    }

    /** When the handler that is under way received its newest packet; {@link ThreadStates#NEVER} if it has none. */
    long received() {
        return received;
    }

    /** What is under way here, besides the thread that runs. */
    Cause interrupt() {
        if (hard.since != ThreadStates.NEVER) {
            return new Cause(Cause.Kind.HARD_INTERRUPT, (int) hard.number);
        }
        if (soft.since != ThreadStates.NEVER) {
            return new Cause(
                    received == ThreadStates.NEVER ? Cause.Kind.SOFT_INTERRUPT : Cause.Kind.PACKET, (int) soft.number);
        }
        return Cause.NONE;
    }

    /** The events of a time are missing. What ran before it ran up to it. */
    void onLoss(long from, long to) throws IOException {
        open();
        begin(from, Subject.LOST, ThreadStates.NEVER, Cause.NONE);
        begin(to, Subject.UNKNOWN, ThreadStates.NEVER, Cause.NONE);
        running = NOBODY;
        forget(to);
    }

    /** What is under way besides threads has no end that anybody knows. */
    void forget(long at) throws IOException {
        hard.since = ThreadStates.NEVER;
        soft.since = ThreadStates.NEVER;
        received = ThreadStates.NEVER;
        late.forget(at);
    }

    /** The trace has come to its end. */
    CpuIndex finish(long end) throws IOException {
        open();
        waits.finish();
        Lane itsThreads = threads.finish(end);
        late.forget(end);
        return new CpuIndex(
                cpu, itsThreads, waits, hard.lane.finish(end), soft.lane.finish(end), late.finish(), late.union(end));
    }

    private void open() {
        if (running != NOBODY) {
            threads.describe(runningSubject, SliceEnd.UNKNOWN, true);
        }
    }

    private void begin(long at, int subject, long waited, Cause cause) throws IOException {
        threads.begin(at, subject);
        waits.add(waited, cause);
    }
}
