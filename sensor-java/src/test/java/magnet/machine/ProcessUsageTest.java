// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.SensorMetrics;
import org.junit.jupiter.api.Test;

class ProcessUsageTest {
    private static final String STAT = "4711 (a) b (c) S 1 4711 4711 0 -1 4194304 5000 0 0 0 123 45 0 0 20 0 17 0 100 "
            + "3000000 9999 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0";
    private static final String STATUS = "Name:\ta) b (c\nVmPeak:\t  99999 kB\nVmRSS:\t   61440 kB\nThreads:\t17\n";

    @Test
    void shouldReadTimesAndMemoryWhenTheNameIsOdd() {
        assertThat(ProcessUsage.parse(STAT, STATUS)).isEqualTo(new ProcessUsage(1_680_000_000L, 60L << 20));
    }

    @Test
    void shouldFindSomethingWhenAskedOfThisProcess() {
        assertThat(ProcessUsage.now().cpuNanos()).isPositive();
        assertThat(ProcessUsage.now().residentBytes()).isGreaterThan(10L << 20);
    }

    @Test
    void shouldGiveTheShareOfOneCpuWhenTheWindowMoves() {
        UsageWindow window = new UsageWindow(2, 0, new ProcessUsage(0, 0), new UsageWindow.Totals(0, 0, 0));
        assertThat(close(window, 1_000, 500)).isEqualTo(50);
        assertThat(close(window, 2_000, 500)).isEqualTo(25);
        assertThat(close(window, 3_000, 2_500)).isEqualTo(100);
        assertThat(close(window, 3_000, 2_500)).isEqualTo(200);
    }

    @Test
    void shouldGiveZeroWhenNoTimePassed() {
        assertThat(close(new UsageWindow(2, 7, new ProcessUsage(3, 0), new UsageWindow.Totals(0, 0, 0)), 7, 3))
                .isZero();
    }

    @Test
    void shouldGiveCostPerEventAndFailuresOfTheWindow() {
        UsageWindow window = new UsageWindow(1, 0, new ProcessUsage(0, 0), new UsageWindow.Totals(0, 0, 0));
        List<Metric> metrics = List.of(SensorMetrics.EVENT_CPU, SensorMetrics.PUBLISH_FAILURES);
        MetricSnapshot.Builder first = MetricSnapshot.of(Instant.EPOCH, 1, metrics);
        window.close(1_000_000_000, new ProcessUsage(30_000_000, 0), new UsageWindow.Totals(0, 5, 0), first);
        assertThat(first.build().value(0)).isZero();
        assertThat(first.build().value(1)).isEqualTo(5);
        MetricSnapshot.Builder second = MetricSnapshot.of(Instant.EPOCH, 1, metrics);
        window.close(3_000_000_000L, new ProcessUsage(50_000_000, 0), new UsageWindow.Totals(8_000, 12, 0), second);
        assertThat(second.build().value(0)).isEqualTo(2.5);
        assertThat(second.build().value(1)).isEqualTo(3.5);
    }

    private static double close(UsageWindow window, long nowNanos, long cpuNanos) {
        List<Metric> metrics = List.of(SensorMetrics.CPU, SensorMetrics.MEMORY);
        MetricSnapshot.Builder builder = MetricSnapshot.of(Instant.EPOCH, 1, metrics);
        window.close(nowNanos, new ProcessUsage(cpuNanos, 42), new UsageWindow.Totals(0, 0, 0), builder);
        assertThat(builder.build().value(1)).isEqualTo(42);
        return builder.build().value(0);
    }
}
