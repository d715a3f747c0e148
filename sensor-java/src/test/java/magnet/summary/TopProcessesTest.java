// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.summary.SummaryFixture.text;
import static magnet.summary.SummaryFixture.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import magnet.metric.MetricSnapshot;
import magnet.metric.TopOrder;
import org.junit.jupiter.api.Test;

/** Processes 100 with threads 100 and 101, and 200; idle is 0. */
class TopProcessesTest {
    private static final int[] IDLE = {0, 0};
    private static final int[] A = {100, 100};
    private static final int[] A_TOO = {100, 101};
    private static final int[] B = {200, 200};
    private static final long ASLEEP = 1;
    private static final long RUNNABLE = 0;
    private static final long MILLI = 1_000_000;

    private final SummaryFixture fixture = new SummaryFixture();
    private final RecordStream records = fixture.records;

    @Test
    void shouldAddUpThreadsWhenAProcessHasMore() {
        fixture.machine.processes.put(100, "server");
        records.switchTo(0, 0, IDLE, RUNNABLE, A);
        records.switchTo(1, 0, IDLE, RUNNABLE, A_TOO);
        records.switchTo(0, 100 * MILLI, A, ASLEEP, B);
        records.switchTo(1, 200 * MILLI, A_TOO, ASLEEP, IDLE);
        records.switchTo(0, 150 * MILLI, B, ASLEEP, IDLE);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertTop(snapshot, TopOrder.CPU, 0, "server 100", 30);
        assertTop(snapshot, TopOrder.CPU, 1, "200", 5);
        assertTop(snapshot, TopOrder.CPU, 2, "-", 0);
        assertTop(snapshot, TopOrder.SWITCHES, 0, "server 100", 2);
        assertTop(snapshot, TopOrder.SWITCHES, 1, "200", 1);
        assertTop(snapshot, TopOrder.WAIT, 0, "-", 0);
    }

    @Test
    void shouldChargeTheWaitToWhomHadToWaitWhenOneTakesTurnsWithAnother() {
        records.switchTo(0, 0, IDLE, RUNNABLE, A);
        records.wakeup(0, 10 * MILLI, 100, 200);
        records.switchTo(0, 40 * MILLI, A, RUNNABLE, B);
        records.switchTo(0, 50 * MILLI, B, ASLEEP, A);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertTop(snapshot, TopOrder.WAIT, 0, "200", 3);
        assertTop(snapshot, TopOrder.WAIT, 1, "100", 1);
    }

    @Test
    void shouldShowAThreadThatNeverLeavesItsCpuWhenWindowsEnd() {
        records.switchTo(0, 0, IDLE, RUNNABLE, A);
        for (int second = 1; second <= 7; second++) {
            records.switchTo(1, second * 1_000 * MILLI, IDLE, RUNNABLE, B);
            assertTop(fixture.closeAfter(1), TopOrder.CPU, 0, "100", 100);
        }
    }

    /** Nobody has said yet that the timer jumped by a day. */
    @Test
    void shouldShowNoMoreThanAllCpusWhenTheTimerJumps() {
        records.switchTo(0, 0, IDLE, RUNNABLE, A);
        records.switchTo(1, 86_400_000 * MILLI, IDLE, RUNNABLE, B);
        assertThat(value(fixture.closeAfter(1), TopOrder.CPU.numbers().get(0))).isBetween(0.0, 200.0);
    }

    /** CPUs may have any numbers: two that run cannot do more than two. */
    @Test
    void shouldShowNoMoreThanTheCpusThatRunWhenTheyHaveHighNumbers() {
        records.switchTo(1, 0, IDLE, RUNNABLE, A);
        records.switchTo(6, 0, IDLE, RUNNABLE, A_TOO);
        records.switchTo(1, 86_400_000 * MILLI, A, RUNNABLE, B);
        assertThat(value(fixture.closeAfter(1), TopOrder.CPU.numbers().get(0))).isEqualTo(200.0);
    }

    /** The fixture has two CPUs; numbers have gaps where some are off, and grow when one is added. */
    @Test
    void shouldShowAThreadThatNeverLeavesACpuOfAHigherNumber() {
        records.switchTo(6, 0, IDLE, RUNNABLE, A);
        for (int second = 1; second <= 3; second++) {
            records.switchTo(1, second * 1_000 * MILLI, IDLE, RUNNABLE, B);
            assertTop(fixture.closeAfter(1), TopOrder.CPU, 0, "100", 100);
        }
    }

    /** CPU 1 logs after the timer began anew, and CPU 0 was the last one to say how late it is. */
    @Test
    void shouldShowNoMoreOfASlotThanThereIsWhenACpuBeginsAnew() {
        records.switchTo(0, 86_400_000 * MILLI, IDLE, RUNNABLE, B);
        fixture.closeAfter(1);
        records.switchTo(0, 86_401_000 * MILLI, B, ASLEEP, IDLE);
        records.switchTo(1, 5 * MILLI, IDLE, RUNNABLE, A);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(text(snapshot, TopOrder.CPU.names().get(0))).containsAnyOf("100", "200");
        assertThat(value(snapshot, TopOrder.CPU.numbers().get(0))).isBetween(0.0, 100.0);
    }

    @Test
    void shouldKeepTheNameWhenTheProcessIsGone() {
        fixture.machine.processes.put(100, "short");
        records.switchTo(0, 0, IDLE, RUNNABLE, A);
        records.switchTo(0, 100 * MILLI, A, ASLEEP, IDLE);
        fixture.closeAfter(1);
        fixture.machine.processes.clear();
        assertTop(fixture.closeAfter(1), TopOrder.CPU, 0, "short 100", 5);
    }

    @Test
    void shouldForgetWhatMayHaveEndedUnseenWhenEventsWereLost() {
        records.switchTo(0, 0, IDLE, RUNNABLE, A);
        records.switchTo(1, 0, IDLE, RUNNABLE, B);
        records.lost(0, MILLI, 5);
        records.switchTo(0, 500 * MILLI, A, ASLEEP, IDLE);
        records.switchTo(1, 600 * MILLI, B, ASLEEP, IDLE);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertTop(snapshot, TopOrder.CPU, 0, "200", 60);
        assertTop(snapshot, TopOrder.CPU, 1, "-", 0);
    }

    @Test
    void shouldHaveTheBusiestOfAllWhenThereAreThousands() {
        long timer = 0;
        for (int process = 1_000; process < 4_000; process++) {
            int[] one = {process, process};
            records.switchTo(0, timer, IDLE, RUNNABLE, one);
            timer += process == 2_345 ? 9_000 : 1_000;
            records.switchTo(0, timer, one, ASLEEP, IDLE);
        }
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertTop(snapshot, TopOrder.CPU, 0, "2345", 0.0009);
        assertThat(value(snapshot, TopOrder.CPU.numbers().get(1))).isCloseTo(0.0001, within(1e-9));
    }

    @Test
    void shouldRankMoreThanThreeWhenSomebodyWantsThem() {
        fixture.machine.processes.put(104, "busy");
        for (int process = 100; process < 106; process++) {
            int[] one = {process, process};
            for (int turn = 0; turn < process - 99; turn++) {
                long timer = (process - 100) * 100 * MILLI + turn * 10 * MILLI;
                records.switchTo(0, timer, IDLE, RUNNABLE, one);
                records.switchTo(0, timer + MILLI, one, ASLEEP, IDLE);
            }
        }
        fixture.closeAfter(1);
        assertThat(fixture.ranking.rows().stream().map(ProcessRanking.Row::process))
                .containsExactly(105, 104, 103, 102, 101);
        ProcessRanking.Row second = fixture.ranking.rows().get(1);
        assertThat(second.name()).isEqualTo("busy");
        assertThat(second.switchesPerSecond()).isCloseTo(5, within(1e-9));
        assertThat(second.cpuPercent()).isCloseTo(0.5, within(1e-9));
        assertThat(second.waitPercent()).isZero();
        assertThat(fixture.ranking.rows().get(0).name())
                .as("gone before it was asked")
                .isEmpty();
    }

    private static void assertTop(MetricSnapshot snapshot, TopOrder order, int place, String process, double value) {
        assertThat(text(snapshot, order.names().get(place))).isEqualTo(process);
        assertThat(value(snapshot, order.numbers().get(place))).isCloseTo(value, within(1e-9));
    }
}
