// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.Optional;
import magnet.cluster.recording.Progress;
import magnet.os.ClockQuality;

/**
 * How fast the disciplined clock of a node was in its trace's time. The trace's time counts the processor's counter by its nominal
 * frequency, which may be wrong by dozens of millionths; whoever disciplines the clock corrects just that. Immutable.
 *
 * @param rate seconds of CLOCK_MONOTONIC in one of the trace's time, less 1
 * @param doubt how far that may be from the truth
 */
record WallRate(double rate, double doubt) {
    /** Rates of disciplined clocks differ by that at most. */
    static final double DISCIPLINED = 1e-6;

    /** CLOCK records that are closer say less than adjtimex does. */
    private static final long LEAST_SPAN_NS = 5_000_000_000L;
    /** How far the clocks in two CLOCK records may be from the timers there, together. */
    private static final double PAIRS_NS = 2_000;

    private static final double MILLION = 1e6;
    /** By which the kernel's own reckoning of a correction is wrong. */
    private static final double KERNEL = 0.2e-6;

    /** What CLOCK records say. */
    static Optional<WallRate> ofClockRecords(long traceSpanNs, long monotonicSpanNs) {
        if (traceSpanNs < LEAST_SPAN_NS) {
            return Optional.empty();
        }
        return Optional.of(
                new WallRate((double) (monotonicSpanNs - traceSpanNs) / traceSpanNs, PAIRS_NS / traceSpanNs));
    }

    /** What adjtimex said at begin and end: in between the correction was somewhere between both. */
    static WallRate ofCorrections(ClockQuality begin, ClockQuality end) {
        double middle = (begin.frequencyPpm() + end.frequencyPpm()) / 2 / MILLION;
        double doubt = Math.abs(begin.frequencyPpm() - end.frequencyPpm()) / 2 / MILLION;
        return new WallRate(middle, doubt + KERNEL);
    }

    /** Of a trace whose timer is CLOCK_MONOTONIC itself. */
    static WallRate ofMonotonic() {
        return new WallRate(0, 0);
    }

    /** Whether somebody disciplined a node's clock both at begin and end. */
    static boolean wasDisciplined(Progress progress) {
        return progress.begin().filter(ClockQuality::synchronised).isPresent()
                && progress.end().filter(ClockQuality::synchronised).isPresent();
    }

    /** What the rate of the second trace's time in that of the first can be. */
    static SlopeLimits limits(WallRate first, WallRate second) {
        double ratio = (1 + first.rate) / (1 + second.rate) - 1;
        double doubt = DISCIPLINED + first.doubt + second.doubt;
        return new SlopeLimits(ratio - doubt, ratio + doubt);
    }
}
