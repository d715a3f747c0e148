// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import magnet.metric.MetricSnapshot;
import magnet.metric.SensorMetrics;
import org.junit.jupiter.api.Test;

class UsageWindowTest {
    private static final UsageWindow.Totals NOTHING = new UsageWindow.Totals(0, 0, 0);

    @Test
    void shouldGiveTheShareOfOneCpuWhenTheWindowMoves() {
        UsageWindow window = new UsageWindow(2, 0, usage(0, 0), NOTHING);
        assertThat(cpu(window, 1_000, usage(1_000, 500))).isEqualTo(50);
        assertThat(cpu(window, 2_000, usage(2_000, 500))).isEqualTo(25);
        assertThat(cpu(window, 3_000, usage(3_000, 2_500))).isEqualTo(100);
        assertThat(cpu(window, 3_000, usage(3_000, 2_500))).isEqualTo(200);
    }

    @Test
    void shouldGiveZeroWhenNoTimePassed() {
        assertThat(cpu(new UsageWindow(2, 7, usage(7, 3), NOTHING), 7, usage(7, 3)))
                .isZero();
    }

    /** A conductor that is late asks long after the slot's end: two processors used all the time until then. */
    @Test
    void shouldGiveNoMoreThanThereWasWhenUsageIsAskedLate() {
        UsageWindow window = new UsageWindow(5, 0, usage(0, 0), NOTHING);
        assertThat(cpu(window, 500, timed(2_000, 4_000, 2_010))).isBetween(198.0, 200.0);
        assertThat(cpu(window, 2_500, timed(2_020, 4_040, 2_030))).isBetween(198.0, 200.0);
    }

    @Test
    void shouldKeepWhatWasToldLastWhenItCannotBeAsked() {
        UsageWindow window = new UsageWindow(5, 0, usage(0, 0), NOTHING);
        assertThat(cpu(window, 1_000, usage(1_000, 500))).isEqualTo(50);
        assertThat(cpu(window, 2_000, Optional.empty())).isEqualTo(50);
        assertThat(cpu(window, 3_000, usage(3_000, 1_500))).isEqualTo(50);
    }

    @Test
    void shouldGiveZeroUntilItCouldBeAsked() {
        UsageWindow window = new UsageWindow(1, 0, Optional.empty(), NOTHING);
        assertThat(cpu(window, 1_000, usage(1_000, 9_000_000))).isZero();
        assertThat(cpu(window, 2_000, usage(2_000, 9_000_500))).isEqualTo(50);
    }

    @Test
    void shouldGiveCostPerEventMemoryAndFailuresOfTheWindow() {
        UsageWindow window = new UsageWindow(1, 0, usage(0, 0), NOTHING);
        MetricSnapshot first = close(window, 1_000_000_000, usage(1_000_000_000, 30_000_000), totals(0, 5));
        assertThat(first.value(SensorMetrics.EVENT_CPU)).hasValue(0);
        assertThat(first.value(SensorMetrics.PUBLISH_FAILURES)).hasValue(5);
        MetricSnapshot second = close(window, 3_000_000_000L, usage(9_000_000_000L, 50_000_000), totals(8_000, 12));
        assertThat(second.value(SensorMetrics.EVENT_CPU)).hasValue(2.5);
        assertThat(second.value(SensorMetrics.MEMORY)).hasValue(42);
        assertThat(second.value(SensorMetrics.PUBLISH_FAILURES)).hasValue(3.5);
    }

    private static UsageWindow.Totals totals(long events, long failures) {
        return new UsageWindow.Totals(events, failures, 0);
    }

    private static Optional<ProcessUsage.Timed> usage(long atNanos, long cpuNanos) {
        return timed(atNanos, cpuNanos, atNanos);
    }

    private static Optional<ProcessUsage.Timed> timed(long beforeNanos, long cpuNanos, long afterNanos) {
        return Optional.of(new ProcessUsage.Timed(beforeNanos, new ProcessUsage(cpuNanos, 42), afterNanos));
    }

    private static double cpu(UsageWindow window, long nowNanos, Optional<ProcessUsage.Timed> usage) {
        return close(window, nowNanos, usage, NOTHING).value(SensorMetrics.CPU).orElseThrow();
    }

    private static MetricSnapshot close(
            UsageWindow window, long nowNanos, Optional<ProcessUsage.Timed> usage, UsageWindow.Totals totals) {
        MetricSnapshot.Builder builder = MetricSnapshot.of(
                Instant.EPOCH,
                1,
                List.of(
                        SensorMetrics.CPU,
                        SensorMetrics.MEMORY,
                        SensorMetrics.EVENT_CPU,
                        SensorMetrics.PUBLISH_FAILURES));
        window.close(nowNanos, usage, totals, builder);
        return builder.build();
    }
}
