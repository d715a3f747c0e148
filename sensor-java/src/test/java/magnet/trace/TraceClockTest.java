// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TraceClockTest {
    private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000);

    private static long exact(TraceClock clock, long timer) {
        return BigInteger.valueOf(timer)
                .add(BigInteger.valueOf(clock.offsetTicks()))
                .multiply(SECOND)
                .divide(BigInteger.valueOf(clock.ticksPerSecond()))
                .add(BigInteger.valueOf(clock.offsetSeconds()).multiply(SECOND))
                .longValue();
    }

    @Test
    void shouldReckonAsNumbersOfAnySizeDo() {
        Random random = new Random(20_261_127);
        for (int number = 0; number < 200_000; number++) {
            // From a kHz to far above what processors have, and timers of all sizes.
            long ticksPerSecond = 1_000 + (random.nextLong() >>> (1 + random.nextInt(53)));
            TraceClock clock =
                    new TraceClock("TSC", ticksPerSecond, random.nextInt(), (random.nextLong() >>> 1) % ticksPerSecond);
            long timer = random.nextLong() >> random.nextInt(64);
            assertThat(clock.realtimeNs(timer)).as("%s, timer %d", clock, timer).isEqualTo(exact(clock, timer));
        }
    }

    @Test
    void shouldReckonAtTheEdges() {
        for (long ticksPerSecond : new long[] {1_000, 999_999_999, 9_223_372_036L, 9_223_372_037L, Long.MAX_VALUE}) {
            TraceClock clock = new TraceClock("TSC", ticksPerSecond, 1_795_000_000, ticksPerSecond - 1);
            for (long timer :
                    new long[] {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, -ticksPerSecond, 1 - ticksPerSecond}) {
                assertThat(clock.realtimeNs(timer)).isEqualTo(exact(clock, timer));
            }
        }
    }
}
