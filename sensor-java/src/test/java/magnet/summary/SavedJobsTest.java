// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import magnet.job.JobNames;
import magnet.metric.JobColumn;
import magnet.metric.JobTable;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A scheduler of two CPUs is made up, and a second account of it looks at each microsecond for itself: who waits where, and who
 * runs there. Threads of 1000 and 2000 are a job each, those of 3000 are cron, and 4000 belongs to none.
 */
class SavedJobsTest {
    private static final int CPUS = 2;
    private static final int STEPS = 4_000;
    private static final long MICRO = 1_000;
    /** Of a histogram with two digits. */
    private static final double PRECISION = 0.01;

    private static final int RUNS_ON = 0;
    private static final int SLEEPS = 1;

    private static final Map<Integer, String> JOBS =
            Map.of(1000, "slurm:1", 2000, "slurm:2", 3000, "cron.service", 4000, JobTable.NO_JOB);
    private static final int IDLE = 0;

    private final RecordWriter writer = new RecordWriter(RecordLayout.WIDE, 1_024);
    private final RecordFlyweight record = new RecordFlyweight(RecordLayout.WIDE);
    private final SavedJobs jobs = new SavedJobs(new SummarySetup(
            CPUS,
            1,
            TimerScale.ofKhz(1_000_000),
            new ClockModel(1_000_000, 0, 0, 0),
            new FakeMachine(),
            JobNames.DEFAULTS));

    /** By thread that waits: its CPU, and since when. */
    private final Map<Integer, int[]> waiting = new LinkedHashMap<>();

    private final int[] running = new int[CPUS];
    private int now;

    private final Map<String, Integer> anyWaited = new TreeMap<>();
    private final Map<String, Integer> threadsWaited = new TreeMap<>();
    private final Map<String, Map<String, Integer>> causes = new TreeMap<>();
    private final Map<String, List<Integer>> ended = new HashMap<>();

    private void begin() {
        jobs.begin(
                Map.of(
                        1L, "/",
                        11L, "/system.slice/slurmstepd.scope/job_1",
                        12L, "/system.slice/slurmstepd.scope/job_2",
                        13L, "/system.slice/cron.service"),
                Map.of(1000, 11L, 2000, 12L, 3000, 13L, 4000, 1L));
    }

    private void hand(EventType type, int cpu, int tgid, int tid, long id, long... payload) {
        writer.clear();
        writer.record(type, cpu, tgid, tid, id, now * MICRO, payload);
        record.wrap(writer.buffer(), 0);
        jobs.tell(record);
        jobs.onRecord(record);
    }

    private static int process(int thread) {
        return thread / 1000 * 1000;
    }

    private static String job(int thread) {
        return thread == IDLE ? JobTable.IDLE : JOBS.get(process(thread));
    }

    /** A microsecond passes. */
    private void pass() {
        List<String> any = new ArrayList<>();
        waiting.forEach((thread, wait) -> {
            any.add(job(thread));
            threadsWaited.merge(job(thread), 1, Integer::sum);
            causes.computeIfAbsent(job(thread), each -> new HashMap<>()).merge(job(running[wait[0]]), 1, Integer::sum);
        });
        any.stream().distinct().forEach(each -> anyWaited.merge(each, 1, Integer::sum));
        now++;
    }

    private void wake(int thread, int cpu) {
        hand(EventType.SCHED_WAKEUP, 0, 4000, 4000, thread, cpu, process(thread));
        waiting.put(thread, new int[] {cpu, now});
    }

    private void switchTo(int cpu, int thread, boolean runsOn) {
        int leaving = running[cpu];
        hand(
                EventType.SCHED_SWITCH,
                cpu,
                process(leaving),
                leaving,
                thread,
                runsOn ? RUNS_ON : SLEEPS,
                process(thread));
        if (leaving != IDLE && runsOn) {
            waiting.put(leaving, new int[] {cpu, now});
        }
        if (thread != IDLE) {
            ended.computeIfAbsent(job(thread), each -> new ArrayList<>()).add(now - waiting.remove(thread)[1]);
        }
        running[cpu] = thread;
    }

    private void migrate(int thread, int cpu) {
        hand(EventType.SCHED_MIGRATE_TASK, 0, 4000, 4000, thread, waiting.get(thread)[0], cpu);
        waiting.get(thread)[0] = cpu;
    }

    private void step(Random random) {
        int thread = 1000 * (1 + random.nextInt(4)) + random.nextInt(3);
        int cpu = random.nextInt(CPUS);
        boolean runs = Arrays.stream(running).anyMatch(each -> each == thread);
        if (!runs && !waiting.containsKey(thread)) {
            wake(thread, cpu);
        } else if (waiting.containsKey(thread) && waiting.get(thread)[0] != cpu) {
            migrate(thread, cpu);
        } else if (waiting.containsKey(thread)) {
            switchTo(cpu, thread, random.nextBoolean());
        } else if (running[cpu] == thread) {
            switchTo(cpu, IDLE, false);
        }
        for (int i = random.nextInt(40); i > 0; i--) {
            pass();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldSayWhatAnAccountOfEachMicrosecondSays(long seed) {
        begin();
        for (int cpu = 0; cpu < CPUS; cpu++) {
            hand(EventType.SCHED_SWITCH, cpu, IDLE, IDLE, IDLE, RUNS_ON, IDLE);
        }
        Random random = new Random(seed);
        for (int i = 0; i < STEPS; i++) {
            step(random);
        }
        hand(EventType.SCHED_WAKEUP, 0, 4000, 4000, 5000, 0, 5000);

        assertThat(jobs.areMeasured()).isTrue();
        JobTable table = jobs.table(now / 1e6);
        for (String job : JOBS.values()) {
            JobTable.Row row = table.row(job).orElseThrow();
            List<Integer> waits = ended.get(job);
            Collections.sort(waits);
            assertThat(row.value(JobColumn.WAIT)).as(job).isEqualTo(100.0 * anyWaited.get(job) / now, within(1e-9));
            assertThat(row.value(JobColumn.WAIT_MAX)).as(job).isEqualTo(waits.get(waits.size() - 1), within(1e-6));
            assertPercentile(row.value(JobColumn.WAIT_P50), waits, 50);
            assertPercentile(row.value(JobColumn.WAIT_P99), waits, 99);
            Map<String, Double> told =
                    row.causes().stream().collect(Collectors.toMap(JobTable.Cause::name, JobTable.Cause::percent));
            assertThat(told.keySet()).as(job).isEqualTo(causes.get(job).keySet());
            told.forEach((cause, percent) -> assertThat(percent)
                    .as("%s for %s", job, cause)
                    .isEqualTo(
                            row.value(JobColumn.WAIT) * causes.get(job).get(cause) / threadsWaited.get(job),
                            within(1e-9)));
        }
        assertThat(jobs.evicted()).isZero();
    }

    private static void assertPercentile(double told, List<Integer> sorted, int percent) {
        int exact = sorted.get((int) Math.ceil(percent / 100.0 * sorted.size()) - 1);
        assertThat(told).isEqualTo(exact, within(Math.max(PRECISION * exact, 1e-3)));
    }

    @Test
    void shouldNotMeasureWithoutWakeups() {
        begin();
        hand(EventType.SCHED_SWITCH, 0, IDLE, IDLE, 1000, RUNS_ON, 1000);
        assertThat(jobs.areMeasured()).isFalse();
    }

    /** What was waited before the timer jumped counts; what goes on meanwhile has no length. */
    @Test
    void shouldCountWhatWasWaitedBeforeTheTimerJumped() {
        begin();
        hand(EventType.SCHED_SWITCH, 0, IDLE, IDLE, 3000, RUNS_ON, 3000);
        wake(1000, 0);
        now = 300;
        hand(EventType.SCHED_WAKEUP, 1, 4000, 4000, 2000, 1, 2000);
        jobs.onNewEpoch(CPUS);
        now = 50;
        hand(EventType.SCHED_SWITCH, 0, 3000, 3000, 1000, SLEEPS, 1000);

        JobTable.Row row = jobs.table(1e-3).row("slurm:1").orElseThrow();
        assertThat(row.value(JobColumn.WAIT)).isEqualTo(30, within(1e-9));
        assertThat(row.value(JobColumn.WAIT_MAX)).isZero();
    }
}
