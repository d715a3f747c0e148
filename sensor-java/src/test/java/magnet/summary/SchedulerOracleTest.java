// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.summary.SummaryFixture.value;
import static magnet.summary.SummaryFixture.values;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import magnet.metric.MetricSnapshot;
import magnet.metric.SchedulerMetrics;
import magnet.record.Payload;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A random but possible machine, whose waits, slices and gaps a simple algorithm over maps finds out as well. */
class SchedulerOracleTest {
    private static final int CPUS = 4;
    private static final int THREADS = 30;
    private static final long STATE_SLEEP = 1;

    /** What {@link SchedulerSummary} must find, from the events alone. */
    private static final class Oracle {
        final Map<Integer, Long> runnableSince = new HashMap<>();
        final Map<Integer, Long> enteredAt = new HashMap<>();
        final List<Long> waits = new ArrayList<>();
        final List<Long> slices = new ArrayList<>();
        long longestGap;
        long dropped;

        void onSwitch(int cpu, long timer, int leaving, boolean runnable, int entering) {
            Long entered = enteredAt.put(cpu, timer);
            if (entered != null && leaving == 0) {
                longestGap = Math.max(longestGap, timer - entered);
            } else if (entered != null) {
                slices.add(timer - entered);
            }
            if (leaving != 0) {
                runnableSince.remove(leaving);
                if (runnable) {
                    runnableSince.put(leaving, timer);
                }
            }
            Long since = runnableSince.remove(entering);
            if (since != null) {
                waits.add(timer - since);
            }
        }

        void onLost(int cpu) {
            dropped += runnableSince.size() + (enteredAt.remove(cpu) == null ? 0 : 1);
            runnableSince.clear();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {101, 102, 103, 104, 105, 106, 107, 108})
    void shouldAgreeWithTheOracleWhenEventsAreRandom(long seed) {
        Random random = new Random(seed);
        SummaryFixture fixture = new SummaryFixture();
        Oracle oracle = new Oracle();
        int[] running = new int[CPUS];
        List<Integer> runnable = new ArrayList<>();
        List<Integer> asleep = new ArrayList<>();
        for (int tid = 1; tid <= THREADS; tid++) {
            asleep.add(tid);
        }
        long timer = 1;
        for (int step = 0; step < 20_000; step++) {
            timer += 1 + (long) Math.exp(random.nextDouble() * 12);
            int cpu = random.nextInt(CPUS);
            int kind = random.nextInt(1_000);
            if (kind < 400 && !asleep.isEmpty()) {
                int woken = asleep.remove(random.nextInt(asleep.size()));
                runnable.add(woken);
                fixture.records.wakeup(cpu, timer, running[cpu], woken);
                oracle.runnableSince.putIfAbsent(woken, timer);
            } else if (kind < 450 && !runnable.isEmpty()) {
                int woken = runnable.get(random.nextInt(runnable.size()));
                fixture.records.wakeup(cpu, timer, running[cpu], woken);
                oracle.runnableSince.putIfAbsent(woken, timer);
            } else if (kind < 998) {
                switchRandomly(random, fixture, oracle, running, runnable, asleep, cpu, timer);
            } else {
                fixture.records.lost(cpu, timer, 1 + random.nextInt(100));
                oracle.onLost(cpu);
            }
        }
        assertAgrees(fixture, oracle, seed);
    }

    private static void switchRandomly(
            Random random,
            SummaryFixture fixture,
            Oracle oracle,
            int[] running,
            List<Integer> runnable,
            List<Integer> asleep,
            int cpu,
            long timer) {
        int leaving = running[cpu];
        int entering =
                runnable.isEmpty() || random.nextInt(4) == 0 ? 0 : runnable.remove(random.nextInt(runnable.size()));
        if (entering == leaving) {
            return;
        }
        boolean runsOn = leaving != 0 && random.nextBoolean();
        if (leaving != 0) {
            (runsOn ? runnable : asleep).add(leaving);
        }
        long state = leaving == 0 ? 0 : runsOn ? (random.nextBoolean() ? 0 : Payload.SCHED_PREEMPTED | 2) : STATE_SLEEP;
        running[cpu] = entering;
        fixture.records.switchTo(cpu, timer, leaving, state, entering);
        oracle.onSwitch(cpu, timer, leaving, runsOn, entering);
    }

    private static void assertAgrees(SummaryFixture fixture, Oracle oracle, long seed) {
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(oracle.waits).as("seed %s", seed).hasSizeGreaterThan(1_000);
        WindowedTest.assertAgrees(values(snapshot, SchedulerMetrics.RUN_QUEUE_WAIT), oracle.waits, seed);
        assertThat(value(snapshot, SchedulerMetrics.TIME_SLICE.max()))
                .as("seed %s", seed)
                .isEqualTo(Collections.max(oracle.slices) / 1_000.0);
        assertThat(value(snapshot, SchedulerMetrics.IDLE_GAP.max()))
                .as("seed %s", seed)
                .isEqualTo(oracle.longestGap / 1_000.0);
        assertThat(fixture.summary.discards())
                .as("seed %s", seed)
                .isEqualTo(new DiscardCounts(oracle.dropped, 0, 0, 0));
    }
}
