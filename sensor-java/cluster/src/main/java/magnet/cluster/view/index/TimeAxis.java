// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.math.BigInteger;

/**
 * Turns ticks of a node into nanoseconds of the run, and back. Both count from a begin. Immutable.
 *
 * <p>A node's clock may have an offset, and go a little faster or slower than that of the run: what is added is a line over time.
 *
 * @param ticksPerSecond nominal frequency of the node's timer
 * @param beginNs what the node's clock says at tick 0: nanoseconds since 1970
 * @param originNs where the run begins, by the run's clock: nanoseconds since 1970
 * @param referenceNs at which time of the node {@code offsetNs} holds
 * @param offsetNs to be added to the node's clock there
 * @param drift to be added for each nanosecond since then: 1e-6 is a microsecond a second
 */
public record TimeAxis(
        long ticksPerSecond, long beginNs, long originNs, long referenceNs, double offsetNs, double drift) {
    private static final long NANOS = 1_000_000_000;

    /** One of a node whose clock is that of the run. */
    public static TimeAxis of(long ticksPerSecond, long beginNs, long originNs) {
        return new TimeAxis(ticksPerSecond, beginNs, originNs, beginNs, 0, 0);
    }

    /** The same node in a run that begins at another time. */
    public TimeAxis from(long otherOriginNs) {
        return new TimeAxis(ticksPerSecond, beginNs, otherOriginNs, referenceNs, offsetNs, drift);
    }

    /** How many nanoseconds so many ticks are, without what fractions there are. */
    public long length(long ticks) {
        return Math.floorDiv(ticks, ticksPerSecond) * NANOS
                + BigInteger.valueOf(Math.floorMod(ticks, ticksPerSecond))
                        .multiply(BigInteger.valueOf(NANOS))
                        .divide(BigInteger.valueOf(ticksPerSecond))
                        .longValue();
    }

    /** Nanoseconds of the run at a tick of the node. */
    public long ns(long ticks) {
        long nodeNs = beginNs + length(ticks);
        return nodeNs - originNs + correction(nodeNs);
    }

    private long correction(long nodeNs) {
        return Math.round(offsetNs + drift * (nodeNs - referenceNs));
    }

    /** The first tick of the node that is not before a time of the run; may be negative. */
    public long ticks(long ns) {
        long nodeNs = ns + originNs - correction(ns + originNs);
        long guess = toTicks(nodeNs - beginNs);
        long step = Math.max(1, ticksPerSecond / NANOS);
        while (ns(guess) < ns) {
            guess += step;
        }
        while (ns(guess - 1) >= ns) {
            guess--;
        }
        return guess;
    }

    private long toTicks(long ns) {
        return Math.floorDiv(ns, NANOS) * ticksPerSecond
                + BigInteger.valueOf(Math.floorMod(ns, NANOS))
                        .multiply(BigInteger.valueOf(ticksPerSecond))
                        .divide(BigInteger.valueOf(NANOS))
                        .longValue();
    }
}
