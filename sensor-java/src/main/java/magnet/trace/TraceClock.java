// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.math.BigInteger;

/**
 * What the timer of a trace is in the time of day. Immutable.
 *
 * @param description what it counts: {@code TSC} or {@code CLOCK_MONOTONIC}
 * @param ticksPerSecond its nominal frequency
 * @param offsetSeconds together with {@code offsetTicks}: when the timer was 0, since 1970
 * @param offsetTicks less than a second
 */
public record TraceClock(String description, long ticksPerSecond, long offsetSeconds, long offsetTicks) {
    private static final BigInteger NANOS_PER_SECOND = BigInteger.valueOf(1_000_000_000);
    private static final long TICKS_PER_KHZ = 1_000;
    private static final long SECOND_NS = 1_000_000_000;
    /** Below this frequency the nanoseconds of less than a second take 64 bits. */
    private static final long MOST_FOR_64_BITS = Long.MAX_VALUE / SECOND_NS;

    public TraceClock {
        if (ticksPerSecond < TICKS_PER_KHZ || offsetTicks < 0 || offsetTicks >= ticksPerSecond) {
            throw new IllegalArgumentException("ticksPerSecond=" + ticksPerSecond + " offsetTicks=" + offsetTicks);
        }
    }

    /**
     * The clock of a module as of an instant. The division keeps both parts exact: 64 bits of nanoseconds times a
     * frequency take more than that.
     *
     * @param monotonic the timer counts nanoseconds of CLOCK_MONOTONIC, and not TSC ticks
     * @param ticksPerMilli nominal frequency
     * @param timer a timer
     * @param realtimeNs CLOCK_REALTIME at that instant
     */
    public static TraceClock of(boolean monotonic, long ticksPerMilli, long timer, long realtimeNs) {
        BigInteger frequency = BigInteger.valueOf(ticksPerMilli * TICKS_PER_KHZ);
        BigInteger ticks = BigInteger.valueOf(realtimeNs)
                .multiply(frequency)
                .divide(NANOS_PER_SECOND)
                .subtract(BigInteger.valueOf(timer));
        BigInteger remainder = ticks.mod(frequency);
        return new TraceClock(
                monotonic ? "CLOCK_MONOTONIC" : "TSC",
                frequency.longValueExact(),
                ticks.subtract(remainder).divide(frequency).longValueExact(),
                remainder.longValueExact());
    }

    /**
     * CLOCK_REALTIME at a timer: nanoseconds since 1970, as the clock's nominal frequency has it. Allocates nothing for clocks
     * below 9 GHz.
     */
    public long realtimeNs(long timer) {
        if (ticksPerSecond > MOST_FOR_64_BITS || timer > Long.MAX_VALUE - offsetTicks) {
            return realtimeOfAny(timer);
        }
        long ticks = timer + offsetTicks;
        long seconds = offsetSeconds + ticks / ticksPerSecond;
        return seconds * SECOND_NS + ticks % ticksPerSecond * SECOND_NS / ticksPerSecond;
    }

    private long realtimeOfAny(long timer) {
        return BigInteger.valueOf(timer)
                .add(BigInteger.valueOf(offsetTicks))
                .multiply(NANOS_PER_SECOND)
                .divide(BigInteger.valueOf(ticksPerSecond))
                .add(BigInteger.valueOf(offsetSeconds).multiply(NANOS_PER_SECOND))
                .longValue();
    }

    /** Ticks in a millisecond. */
    public long ticksPerMilli() {
        return ticksPerSecond / TICKS_PER_KHZ;
    }
}
