// SPDX-License-Identifier: Apache-2.0
package magnet.record;

/**
 * Turns the timer of records into the clocks that people know, and back.
 *
 * <p>It stands on pairs: a timer, and what CLOCK_REALTIME and CLOCK_MONOTONIC were at that instant. The control
 * socket gives the first one, CLOCK records the next ones. Times are reckoned from the newest pair, by the module's
 * nominal frequency until two pairs are far enough apart to measure it. The first pair of a new epoch of the timer begins
 * the model anew. Thread-safe: one thread updates, any may ask.
 */
public final class ClockModel {
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** What a timer may be ahead before it is taken for one that jumped. */
    private static final long AHEAD_NS = 1_000_000_000;
    /** Pairs closer than this, in nanoseconds, say little about the frequency. */
    private static final long LEAST_SPAN_NS = 1_000_000_000;
    /** A frequency further from the nominal one than this is a clock that was stepped, not measured. */
    private static final double MOST_DEVIATION = 0.01;

    private final double nominalNanosPerTick;
    /** Of this epoch; the updating thread's alone. */
    private Pair first;

    private volatile int epoch;
    private volatile Pair newest;

    /**
     * @param ticksPerMilli nominal frequency: ticks per millisecond
     * @param timer a timer
     * @param realtimeNs CLOCK_REALTIME at that instant
     * @param monotonicNs CLOCK_MONOTONIC at that instant
     */
    public ClockModel(long ticksPerMilli, long timer, long realtimeNs, long monotonicNs) {
        this(ticksPerMilli, timer, realtimeNs, monotonicNs, 0);
    }

    /**
     * The same of a timer that has jumped before.
     *
     * @param epoch counts up each time that the timer jumps or begins anew
     */
    public ClockModel(long ticksPerMilli, long timer, long realtimeNs, long monotonicNs, int epoch) {
        if (ticksPerMilli <= 0) {
            throw new IllegalArgumentException("not a frequency: ticksPerMilli=" + ticksPerMilli);
        }
        nominalNanosPerTick = (double) NANOS_PER_MILLI / ticksPerMilli;
        first = new Pair(timer, realtimeNs, monotonicNs, nominalNanosPerTick);
        newest = first;
        this.epoch = epoch;
    }

    /** Of which epoch the timer is that the model knows; timers of another one can't be turned into times. */
    public int epoch() {
        return epoch;
    }

    /** Takes in another pair, of any epoch: a younger one begins the model anew, an older one is ignored. */
    public void update(long timer, long realtimeNs, long monotonicNs, int itsEpoch) {
        int later = itsEpoch - epoch;
        if (later > 0) {
            first = new Pair(timer, realtimeNs, monotonicNs, nominalNanosPerTick);
            newest = first;
            epoch = itsEpoch;
        } else if (later == 0) {
            update(timer, realtimeNs, monotonicNs);
        }
    }

    /** Takes in another pair; an older one than the newest is ignored. */
    public void update(long timer, long realtimeNs, long monotonicNs) {
        if (timer - newest.timer <= 0) {
            return;
        }
        long span = monotonicNs - first.monotonicNs;
        double rate = nominalNanosPerTick;
        if (span >= LEAST_SPAN_NS) {
            double measured = (double) span / (timer - first.timer);
            if (Math.abs(measured / nominalNanosPerTick - 1) <= MOST_DEVIATION) {
                rate = measured;
            }
        }
        newest = new Pair(timer, realtimeNs, monotonicNs, rate);
    }

    /** Takes in what a CLOCK record says. */
    public void update(RecordFlyweight clockRecord) {
        update(
                clockRecord.timer(),
                clockRecord.payloadU64(Payload.CLOCK_REALTIME_NS_OFFSET),
                clockRecord.payloadU64(Payload.CLOCK_MONOTONIC_NS_OFFSET),
                (int) clockRecord.payloadU32(Payload.CLOCK_EPOCH_OFFSET));
    }

    /** CLOCK_REALTIME at a timer: nanoseconds since 1970. */
    public long realtimeNs(long timer) {
        Pair pair = newest;
        return pair.realtimeNs + pair.toNanos(timer - pair.timer);
    }

    /** CLOCK_MONOTONIC at a timer, in nanoseconds. */
    public long monotonicNs(long timer) {
        Pair pair = newest;
        return pair.monotonicNs + pair.toNanos(timer - pair.timer);
    }

    /** The timer at an instant of CLOCK_MONOTONIC. */
    public long timerAtMonotonic(long monotonicNs) {
        Pair pair = newest;
        return pair.timer + Math.round((monotonicNs - pair.monotonicNs) / pair.nanosPerTick);
    }

    /**
     * The latest that the timer can be at an instant of CLOCK_MONOTONIC: a second more than the model says, and a quarter of
     * the time since the newest pair. A timer that is further ahead has jumped; the module says so, by a new epoch, where both
     * disagree by an eighth.
     */
    public long latestTimer(long monotonicNs) {
        Pair pair = newest;
        long since = Math.max(0, monotonicNs - pair.monotonicNs);
        return pair.timer + Math.round((since + since / 4 + AHEAD_NS) / pair.nanosPerTick);
    }

    /** How many nanoseconds so many ticks are. */
    public long ticksToNanos(long ticks) {
        return newest.toNanos(ticks);
    }

    /** How many ticks so many nanoseconds are. */
    public long nanosToTicks(long nanos) {
        return Math.round(nanos / newest.nanosPerTick);
    }

    private record Pair(long timer, long realtimeNs, long monotonicNs, double nanosPerTick) {
        long toNanos(long ticks) {
            return Math.round(ticks * nanosPerTick);
        }
    }
}
