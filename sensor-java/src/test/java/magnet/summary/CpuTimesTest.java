// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.CpuMode.IDLE;
import static magnet.record.CpuMode.NICE;
import static magnet.record.CpuMode.SYSTEM;
import static magnet.record.CpuMode.USER;
import static magnet.summary.SummaryFixture.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import magnet.metric.GmondMetrics;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.Replacement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CpuTimesTest {
    private static final List<Metric> METRICS = Replacement.all();
    private static final long DAY = 86_400_000_000_000L;

    private final SummaryFixture fixture = new SummaryFixture();
    private final RecordStream records = fixture.records;
    private long nowNanos;

    @BeforeEach
    void use() {
        fixture.summary.use(METRICS, 0);
    }

    private MetricSnapshot close() {
        nowNanos += 5_000_000_000L;
        return fixture.summary.closeWindow(nowNanos, Instant.EPOCH, METRICS, snapshot -> {});
    }

    private static List<Double> cpu(MetricSnapshot snapshot) {
        List<Double> values = new ArrayList<>();
        for (Metric metric : List.of(
                GmondMetrics.CPU_USER,
                GmondMetrics.CPU_NICE,
                GmondMetrics.CPU_SYSTEM,
                GmondMetrics.CPU_IDLE,
                GmondMetrics.CPU_INTR,
                GmondMetrics.CPU_SINTR)) {
            values.add(value(snapshot, metric));
        }
        return values;
    }

    @Test
    void shouldShareTheTimeOutWhenRecordsTellIt() {
        records.cpuTime(0, 1_000, IDLE, 7, 7, 7, 7, 7, 7);
        records.cpuTime(0, 2_000, IDLE, 407, 57, 207, 307, 17, 37);
        // 1000 ticks: user 400, nice 50, system 200, idle 300, hard 10, soft 30; 10 are under way.
        assertThat(cpu(close()))
                .usingElementComparator((a, b) -> Math.abs(a - b) < 1e-9 ? 0 : 1)
                .containsExactly(
                        100 * 400 / 990.0,
                        100 * 50 / 990.0,
                        100 * 240 / 990.0,
                        100 * 300 / 990.0,
                        100 * 10 / 990.0,
                        100 * 30 / 990.0);
    }

    @Test
    void shouldWeighCpusByTheirTimeWhenThereAreSeveral() {
        records.cpuTime(0, 1_000, USER, 0, 0, 0, 0, 0, 0);
        records.cpuTime(1, 1_000, IDLE, 0, 0, 0, 0, 0, 0);
        records.cpuTime(0, 2_000, USER, 1_000, 0, 0, 0, 0, 0);
        records.cpuTime(1, 2_000, IDLE, 0, 0, 0, 1_000, 0, 0);
        assertThat(cpu(close())).containsExactly(50.0, 0.0, 0.0, 50.0, 0.0, 0.0);
    }

    @Test
    void shouldTakeASilentCpuToGoOnWhenTheSlotEnds() {
        records.cpuTime(0, 1_000, IDLE, 0, 0, 0, 0, 0, 0);
        records.cpuTime(1, 1_000, SYSTEM, 0, 0, 0, 0, 0, 0);
        // CPU 0 says nothing any more: it idles. The newest record is of CPU 1.
        records.cpuTime(1, 5_000, SYSTEM, 0, 0, 4_000, 0, 0, 0);
        assertThat(cpu(close())).containsExactly(0.0, 0.0, 50.0, 50.0, 0.0, 0.0);
        records.cpuTime(1, 9_000, SYSTEM, 0, 0, 8_000, 0, 0, 0);
        assertThat(cpu(close())).containsExactly(0.0, 0.0, 50.0, 50.0, 0.0, 0.0);
    }

    @Test
    void shouldPutRightWhatItTookForGrantedWhenTheNextRecordSaysOtherwise() {
        records.cpuTime(0, 1_000, USER, 0, 0, 0, 0, 0, 0);
        records.cpuTime(1, 1_000, NICE, 0, 0, 0, 0, 0, 0);
        records.cpuTime(1, 3_000, NICE, 0, 2_000, 0, 0, 0, 0);
        assertThat(cpu(close())).as("CPU 0 was running a program").containsExactly(50.0, 50.0, 0.0, 0.0, 0.0, 0.0);
        records.cpuTime(0, 3_000, SYSTEM, 500, 0, 1_500, 0, 0, 0);
        assertThat(cpu(close())).containsExactly(12.5, 50.0, 37.5, 0.0, 0.0, 0.0);
    }

    @Test
    void shouldLoseNoTimeWhenRecordsAreLost() {
        records.cpuTime(0, 1_000, USER, 0, 0, 0, 0, 0, 0);
        records.lost(0, 2_000, 17);
        records.cpuTime(0, 5_000, IDLE, 1_000, 0, 0, 3_000, 0, 0);
        assertThat(cpu(close())).containsExactly(25.0, 0.0, 0.0, 75.0, 0.0, 0.0);
    }

    @Test
    void shouldForgetWhatIsOlderThanTheWindow() {
        records.cpuTime(0, 1_000, USER, 0, 0, 0, 0, 0, 0);
        records.cpuTime(0, 2_000, IDLE, 1_000, 0, 0, 0, 0, 0);
        for (int slot = 0; slot < SummaryFixture.SLOTS; slot++) {
            close();
        }
        records.cpuTime(0, 3_000, IDLE, 1_000, 0, 0, 1_000, 0, 0);
        assertThat(cpu(close())).containsExactly(0.0, 0.0, 0.0, 100.0, 0.0, 0.0);
    }

    @Test
    void shouldKnowACpuThatCameUpUnderWay() {
        records.cpuTime(0, 1_000, IDLE, 0, 0, 0, 0, 0, 0);
        records.cpuTime(9, 1_000, USER, 5, 5, 5, 5, 5, 5);
        records.cpuTime(9, 2_000, USER, 1_005, 5, 5, 5, 5, 5);
        assertThat(cpu(close())).containsExactly(50.0, 0.0, 0.0, 50.0, 0.0, 0.0);
    }

    /** A machine that was up for a day wakes up; its timer and its sums begin anew. */
    @Test
    void shouldCompareNothingAcrossWhenTheTimerBeginsAnew() {
        records.cpuTime(0, DAY - 4_000, USER, DAY, 0, 0, 0, 0, 0);
        records.cpuTime(1, DAY - 4_000, NICE, 0, DAY, 0, 0, 0, 0);
        records.cpuTime(1, DAY, NICE, 0, DAY + 4_000, 0, 0, 0, 0);
        assertThat(cpu(close())).as("CPU 0 is ahead").containsExactly(50.0, 50.0, 0.0, 0.0, 0.0, 0.0);
        for (int slot = 1; slot < SummaryFixture.SLOTS; slot++) {
            close();
        }
        fixture.summary.onNewEpoch(2);
        assertThat(cpu(close())).as("of the new epoch nothing is known").containsOnly(0.0);
        records.cpuTime(0, 1_000, IDLE, 0, 0, 0, 0, 0, 0);
        records.cpuTime(1, 1_000, USER, 0, 0, 0, 0, 0, 0);
        assertThat(cpu(close())).containsOnly(0.0);
        records.cpuTime(1, 5_000, USER, 1_000, 0, 3_000, 0, 0, 0);
        assertThat(cpu(close())).containsExactly(12.5, 0.0, 37.5, 50.0, 0.0, 0.0);
    }

    /** The module adds the time since the record before, which a timer that began anew makes a huge one. */
    @Test
    void shouldNotBelieveSumsThatGoBack() {
        records.cpuTime(0, 100_000, USER, 0, 0, 0, 0, 0, 0);
        records.cpuTime(0, 101_000, USER, 500, 0, 0, 500, 0, 0);
        records.cpuTime(0, 1_000, USER, 500 - 100_000, 0, 0, 500, 0, 0);
        fixture.summary.onNewEpoch(2);
        records.cpuTime(0, 2_000, USER, 1_000 - 100_000, 0, 0, 1_000, 0, 0);
        records.cpuTime(0, 3_000, USER, 1_500 - 100_000, 0, 0, 1_500, 0, 0);
        assertThat(cpu(close())).containsExactly(50.0, 0.0, 0.0, 50.0, 0.0, 0.0);
    }

    @Test
    void shouldSayZeroWhenNothingIsKnown() {
        assertThat(cpu(close())).containsOnly(0.0);
    }

    @Test
    void shouldAddUpToAHundredWhateverHappens() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        long[][] sums = new long[SummaryFixture.CPUS][6];
        long[] since = new long[SummaryFixture.CPUS];
        long timer = 0;
        for (int slot = 0; slot < 200; slot++) {
            int count = random.nextInt(6) * random.nextInt(3);
            for (int i = 0; i < count; i++) {
                int cpu = random.nextInt(SummaryFixture.CPUS);
                timer += 1 + random.nextInt(10_000);
                // What has passed on this CPU was anything; its mode may be a lie about what follows.
                sums[cpu][random.nextInt(6)] += timer - since[cpu];
                since[cpu] = timer;
                records.cpuTime(cpu, timer, random.nextBoolean() ? USER : IDLE, sums[cpu]);
            }
            List<Double> values = cpu(close());
            double all = values.get(0) + values.get(1) + values.get(2) + values.get(3);
            assertThat(values)
                    .as("seed %d", seed)
                    .allSatisfy(each -> assertThat(each).isBetween(0.0, 100.0));
            assertThat(all)
                    .as("seed %d", seed)
                    .satisfiesAnyOf(
                            sum -> assertThat(sum).isCloseTo(100, within(1e-9)),
                            sum -> assertThat(sum).isZero());
        }
    }
}
