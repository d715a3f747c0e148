// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.BLOCK_RQ_COMPLETE;
import static magnet.record.EventType.BLOCK_RQ_ISSUE;
import static magnet.record.EventType.CGROUP_MKDIR;
import static magnet.record.EventType.CGROUP_RMDIR;
import static magnet.record.EventType.KFREE_SKB;
import static magnet.record.EventType.LOST;
import static magnet.record.EventType.MAJOR_FAULT;
import static magnet.record.EventType.MARK_VICTIM;
import static magnet.record.EventType.MM_VMSCAN_DIRECT_RECLAIM_BEGIN;
import static magnet.record.EventType.MM_VMSCAN_DIRECT_RECLAIM_END;
import static magnet.record.EventType.SCHED_MIGRATE_TASK;
import static magnet.record.EventType.SCHED_PROCESS_EXIT;
import static magnet.record.EventType.SCHED_PROCESS_FORK;
import static magnet.record.EventType.SCHED_SWITCH;
import static magnet.record.EventType.SCHED_WAKEUP;
import static magnet.record.EventType.SKB_CONSUME_UDP;
import static magnet.record.EventType.SYS_ENTER;
import static magnet.record.EventType.SYS_EXIT;
import static magnet.record.EventType.TASK_ATTACH;
import static magnet.record.EventType.TCP_CONSUME;
import static magnet.record.EventType.TCP_RETRANSMIT_SKB;
import static magnet.record.EventType.TCP_SENDMSG;
import static magnet.record.EventType.UDP_SENDMSG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Instant;
import java.util.List;
import magnet.job.JobNames;
import magnet.job.Owners;
import magnet.metric.JobColumn;
import magnet.metric.JobMetrics;
import magnet.metric.JobTable;
import magnet.metric.MetricSnapshot;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Jobs slurm:1 with processes 100 (threads 100 and 101) and 110, slurm:2 with 200, cron.service with 300; 2 is a thread of the
 * kernel, 0 is idle. Windows have a second, so that ten milliseconds are one percent.
 */
class JobSummaryTest {
    private static final long MILLI = 1_000_000;
    private static final int PRESENT = 0;
    private static final int MOVE = 3;
    private static final long ROOT = 1;
    private static final long JOB_1 = 11;
    private static final long JOB_2 = 12;
    private static final long CRON = 13;
    private static final int RUNNABLE = 0;
    private static final int SLEEPS = 1;
    private static final int DISK_SLEEP = 2;
    private static final int IDLE_WORKER = 0x402;

    private final FakeMachine machine = new FakeMachine();
    private final EventSummary summary = new EventSummary(
            new SummarySetup(
                    2, 5, TimerScale.ofKhz(1_000_000), new ClockModel(1_000_000, 0, 0, 0), machine, JobNames.DEFAULTS),
            0);
    private final RecordWriter writer = new RecordWriter(RecordLayout.WIDE, 1_024);
    private final RecordFlyweight record = new RecordFlyweight(RecordLayout.WIDE);
    private long nowNanos;

    @BeforeEach
    void tellOwners() {
        machine.systemCalls.put(0, "read");
        machine.systemCalls.put(45, "recvfrom");
        machine.systemCalls.put(230, "clock_nanosleep");
        summary.use(JobMetrics.all(), 0);
        cgroup(ROOT, "/");
        cgroup(JOB_1, "/system.slice/slurmstepd.scope/job_1");
        cgroup(JOB_2, "/system.slice/slurmstepd.scope/job_2");
        cgroup(CRON, "/system.slice/cron.service");
        attach(0, 2, ROOT, PRESENT);
        attach(0, 100, JOB_1, PRESENT);
        attach(0, 110, JOB_1, PRESENT);
        attach(0, 200, JOB_2, PRESENT);
        attach(0, 300, CRON, PRESENT);
    }

    @Test
    void shouldSplitACpusTimeWhenJobsTakeTurns() {
        switchTo(0, 0, 0, 0, RUNNABLE, 100, 100);
        switchTo(0, 100, 100, 100, RUNNABLE, 200, 200);
        switchTo(0, 350, 200, 200, SLEEPS, 100, 100);
        switchTo(0, 400, 100, 100, SLEEPS, 0, 0);
        switchTo(0, 500, 0, 0, RUNNABLE, 2, 2);
        switchTo(0, 510, 2, 2, IDLE_WORKER, 0, 0);
        JobTable jobs = close().jobs();
        assertThat(jobs.rows()).extracting(JobTable.Row::name).containsExactly("slurm:2", "slurm:1", JobTable.NO_JOB);
        assertColumn(jobs, "slurm:1", JobColumn.CPU, 15);
        assertColumn(jobs, "slurm:1", JobColumn.SLICES, 2);
        assertColumn(jobs, "slurm:1", JobColumn.PREEMPTIONS, 1);
        assertColumn(jobs, "slurm:1", JobColumn.WAIT, 25);
        assertColumn(jobs, "slurm:2", JobColumn.CPU, 25);
        assertColumn(jobs, "slurm:2", JobColumn.PREEMPTIONS, 0);
        assertColumn(jobs, JobTable.NO_JOB, JobColumn.CPU, 1);
        assertColumn(jobs, JobTable.NO_JOB, JobColumn.BLOCKED, 0);
    }

    /** It waits 300 ms: 200 while cron runs, 60 while slurm:2 does, 40 while nobody does. */
    @Test
    void shouldNameWhoRanWhenAJobWaited() {
        switchTo(0, 0, 0, 0, RUNNABLE, 300, 300);
        wakeup(1, 100, 100, 100, 0);
        switchTo(0, 300, 300, 300, SLEEPS, 200, 200);
        switchTo(0, 360, 200, 200, SLEEPS, 0, 0);
        switchTo(0, 400, 0, 0, RUNNABLE, 100, 100);
        switchTo(0, 450, 100, 100, SLEEPS, 0, 0);
        MetricSnapshot snapshot = close();
        JobTable.Row job = snapshot.jobs().row("slurm:1").orElseThrow();
        assertThat(job.value(JobColumn.WAIT)).isEqualTo(30, within(1e-9));
        assertThat(job.value(JobColumn.WAIT_MAX)).isEqualTo(300_000);
        assertThat(job.value(JobColumn.WAIT_P99)).isEqualTo(300_000, within(3_000.0));
        assertCauses(job, "cron.service", 20, "slurm:2", 6, JobTable.IDLE, 4);
        assertThat(snapshot.jobs().row("cron.service").orElseThrow().causes()).isEmpty();
        JobMetrics.Slot third = JobMetrics.allSlots().get(2);
        assertThat(SummaryFixture.text(snapshot, third.name())).isEqualTo("slurm:1");
        assertThat(SummaryFixture.text(snapshot, third.cause())).isEqualTo("cron.service");
        assertThat(snapshot.value(third.causePercent())).hasValue(20);
        assertThat(SummaryFixture.text(snapshot, JobMetrics.allSlots().get(3).name()))
                .isEqualTo(MetricSnapshot.NO_TEXT);
    }

    /** Two threads wait on two CPUs, together for 100 ms, and one of them 100 ms more. */
    @Test
    void shouldCountTimeOnceWhenThreadsOfAJobWaitAtTheSameTime() {
        switchTo(0, 0, 0, 0, RUNNABLE, 300, 300);
        switchTo(1, 0, 0, 0, RUNNABLE, 200, 200);
        wakeup(0, 100, 100, 100, 0);
        wakeup(1, 200, 100, 101, 1);
        switchTo(0, 300, 300, 300, SLEEPS, 100, 100);
        switchTo(1, 300, 200, 200, SLEEPS, 100, 101);
        JobTable.Row job = close().jobs().row("slurm:1").orElseThrow();
        assertThat(job.value(JobColumn.WAIT)).isEqualTo(20, within(1e-9));
        assertThat(job.value(JobColumn.WAIT_THREADS)).isEqualTo(30, within(1e-9));
        assertCauses(job, "cron.service", 20 * 2 / 3.0, "slurm:2", 20 / 3.0);
    }

    @Test
    void shouldFollowAWaitWhenTheThreadIsMovedToAnotherCpu() {
        switchTo(0, 0, 0, 0, RUNNABLE, 300, 300);
        switchTo(1, 0, 0, 0, RUNNABLE, 200, 200);
        wakeup(0, 100, 100, 100, 0);
        hand(SCHED_MIGRATE_TASK, 1, 1, 1, 100, at(150), 0, 1);
        switchTo(1, 170, 200, 200, SLEEPS, 100, 100);
        assertCauses(close().jobs().row("slurm:1").orElseThrow(), "cron.service", 5, "slurm:2", 2);
    }

    /** The kernel says that it woke one that had not left its CPU yet. */
    @Test
    void shouldNotCountAWaitWhenTheThreadRuns() {
        switchTo(0, 0, 0, 0, RUNNABLE, 100, 100);
        wakeup(1, 100, 100, 100, 0);
        switchTo(0, 300, 100, 100, SLEEPS, 0, 0);
        JobTable.Row job = close().jobs().row("slurm:1").orElseThrow();
        assertThat(job.value(JobColumn.WAIT)).isZero();
        assertThat(job.causes()).isEmpty();
    }

    @Test
    void shouldSplitWhatGoesOnWhenAProcessMoves() {
        switchTo(0, 0, 0, 0, RUNNABLE, 100, 100);
        switchTo(1, 0, 0, 0, RUNNABLE, 300, 300);
        wakeup(1, 0, 100, 101, 1);
        attach(123, 100, JOB_2, MOVE);
        switchTo(0, 200, 100, 100, SLEEPS, 0, 0);
        switchTo(1, 200, 300, 300, SLEEPS, 100, 101);
        switchTo(1, 210, 100, 101, SLEEPS, 0, 0);
        JobTable jobs = close().jobs();
        assertColumn(jobs, "slurm:1", JobColumn.CPU, 12.3);
        assertColumn(jobs, "slurm:2", JobColumn.CPU, 8.7);
        assertColumn(jobs, "slurm:1", JobColumn.WAIT, 12.3);
        assertColumn(jobs, "slurm:2", JobColumn.WAIT, 7.7);
        assertCauses(jobs.row("slurm:2").orElseThrow(), "cron.service", 7.7);
    }

    /** One runs, one waits, one waits for its disk, all the time. */
    @Test
    void shouldCountWhatGoesOnWhenAWindowEnds() {
        switchTo(0, 0, 2, 2, SLEEPS, 110, 110);
        switchTo(0, 0, 110, 110, DISK_SLEEP, 200, 200);
        wakeup(1, 0, 100, 100, 0);
        for (int second = 1; second <= 7; second++) {
            switchTo(1, second * 1_000, 2, 2, SLEEPS, 0, 0);
            JobTable jobs = close().jobs();
            assertColumn(jobs, "slurm:2", JobColumn.CPU, 100);
            assertColumn(jobs, "slurm:1", JobColumn.WAIT, 100);
            assertColumn(jobs, "slurm:1", JobColumn.BLOCKED, 100);
            assertCauses(jobs.row("slurm:1").orElseThrow(), "slurm:2", 100);
        }
    }

    @Test
    void shouldTellWhatThreadsSleptForWhenTheySleep() {
        hand(SYS_ENTER, 0, 100, 100, 45, at(0), 0, 0, 0, 0);
        switchTo(0, 10, 100, 100, SLEEPS, 0, 0);
        wakeup(0, 110, 100, 100, 0);
        switchTo(0, 110, 0, 0, RUNNABLE, 100, 100);
        hand(SYS_EXIT, 0, 100, 100, 45, at(111), 1, 0);
        hand(SYS_ENTER, 0, 100, 100, 230, at(120), 0, 0, 0, 0);
        switchTo(0, 120, 100, 100, SLEEPS, 0, 0);
        wakeup(0, 500, 100, 100, 0);
        switchTo(0, 500, 0, 0, RUNNABLE, 100, 100);
        hand(SYS_EXIT, 0, 100, 100, 230, at(500), 0, 0);
        hand(SYS_ENTER, 0, 100, 100, 0, at(510), 0, 0, 0, 0);
        switchTo(0, 520, 100, 100, DISK_SLEEP, 0, 0);
        wakeup(0, 590, 100, 100, 0);
        switchTo(0, 590, 0, 0, RUNNABLE, 100, 100);
        hand(SYS_EXIT, 0, 100, 100, 0, at(600), 1, 0);
        JobTable jobs = close().jobs();
        assertColumn(jobs, "slurm:1", JobColumn.NETWORK_WAIT, 10);
        assertColumn(jobs, "slurm:1", JobColumn.BLOCKED, 7);
        assertColumn(jobs, "slurm:1", JobColumn.SYSTEM_CALLS, 11.1 + 9);
    }

    @Test
    void shouldCountPacketsAndBytesForTheJobThatHandlesThem() {
        hand(UDP_SENDMSG, 0, 100, 100, 7, at(1), 100, 2, 17);
        hand(UDP_SENDMSG, 0, 100, 100, 7, at(2), 150, 2, 17);
        hand(TCP_SENDMSG, 0, 200, 200, 8, at(3), 1000, 2, 6);
        hand(SKB_CONSUME_UDP, 0, 110, 110, 9, at(4), 0, 77);
        hand(TCP_CONSUME, 0, 200, 200, 8, at(5), 500, 2, 6);
        // Somebody else's process is interrupted: sockets tell whose these are, and of 55 nobody knows.
        hand(KFREE_SKB, 0, 300, 300, 9, at(6), 0, 10);
        hand(KFREE_SKB, 0, 300, 300, 55, at(6), 0, 10);
        hand(KFREE_SKB, 0, 300, 300, 0, at(6), 0, 10);
        hand(TCP_RETRANSMIT_SKB, 0, 300, 300, 8, at(7), 0, 10, 0, 0, 0, 0, 3);
        JobTable jobs = close().jobs();
        assertColumn(jobs, "slurm:1", JobColumn.SEND_PACKETS, 2);
        assertColumn(jobs, "slurm:1", JobColumn.SEND_BYTES, 250);
        assertColumn(jobs, "slurm:1", JobColumn.RECEIVE_PACKETS, 1);
        assertColumn(jobs, "slurm:1", JobColumn.RECEIVE_BYTES, 77);
        assertColumn(jobs, "slurm:1", JobColumn.DROPS, 1);
        assertColumn(jobs, "slurm:2", JobColumn.SEND_PACKETS, 1);
        assertColumn(jobs, "slurm:2", JobColumn.SEND_BYTES, 1000);
        assertColumn(jobs, "slurm:2", JobColumn.RECEIVE_BYTES, 500);
        assertColumn(jobs, "slurm:2", JobColumn.RETRANSMITS, 3);
        assertThat(jobs.row("cron.service")).isEmpty();
    }

    /** The second one is issued twice, and a flush is neither read nor write. */
    @Test
    void shouldCountARequestOnceWhenItIsIssuedAgain() {
        hand(BLOCK_RQ_ISSUE, 0, 100, 100, 1, at(1), 0, 0, 4096, 0);
        hand(BLOCK_RQ_COMPLETE, 0, 0, 0, 1, at(2), 0, 0, 4096, 0);
        hand(BLOCK_RQ_ISSUE, 0, 100, 100, 2, at(3), 0, 0, 8192, 1);
        hand(BLOCK_RQ_ISSUE, 0, 2, 2, 2, at(4), 0, 0, 8192, 1);
        hand(BLOCK_RQ_COMPLETE, 0, 0, 0, 2, at(5), 0, 0, 4096, 1);
        hand(BLOCK_RQ_COMPLETE, 0, 0, 0, 2, at(6), 0, 0, 4096, 1);
        hand(BLOCK_RQ_ISSUE, 0, 100, 100, 3, at(7), 0, 0, 0, 2);
        JobTable jobs = close().jobs();
        assertColumn(jobs, "slurm:1", JobColumn.DISK_REQUESTS, 2);
        assertColumn(jobs, "slurm:1", JobColumn.DISK_BYTES, 4096 + 8192);
        assertThat(jobs.row(JobTable.NO_JOB)).isEmpty();
    }

    @Test
    void shouldCountMemorysTroubles() {
        hand(MAJOR_FAULT, 0, 100, 100, 0, at(1), 1000);
        hand(MM_VMSCAN_DIRECT_RECLAIM_BEGIN, 0, 100, 101, 0, at(2));
        hand(MM_VMSCAN_DIRECT_RECLAIM_END, 0, 100, 101, 0, at(32), 5);
        hand(MARK_VICTIM, 0, 300, 300, 200, at(40), 0);
        JobTable jobs = close().jobs();
        assertColumn(jobs, "slurm:1", JobColumn.MAJOR_FAULTS, 1);
        assertColumn(jobs, "slurm:1", JobColumn.RECLAIM, 3);
        assertColumn(jobs, "slurm:2", JobColumn.OOM_KILLS, 1);
    }

    @Test
    void shouldSayUnknownWhenALossMadeOwnersUnsure() {
        switchTo(0, 0, 0, 0, RUNNABLE, 100, 100);
        assertThat(summary.takeOwnersLost()).as("what came before").isTrue();
        assertThat(summary.takeOwnersLost()).isFalse();
        hand(LOST, 1, 0, 0, 0, at(50), 3, at(40), at(45));
        assertThat(summary.takeOwnersLost()).isTrue();
        assertThat(summary.takeOwnersLost()).isFalse();
        switchTo(0, 100, 100, 100, SLEEPS, 200, 200);
        attach(160, 200, JOB_2, PRESENT);
        switchTo(0, 200, 200, 200, SLEEPS, 0, 0);
        JobTable jobs = close().jobs();
        assertColumn(jobs, "slurm:1", JobColumn.CPU, 4);
        assertColumn(jobs, JobTable.UNKNOWN, JobColumn.CPU, 6 + 6);
        assertColumn(jobs, "slurm:2", JobColumn.CPU, 4);
    }

    /** Another CPU has lost its move, at 100. Until then it ran for slurm:1, and since it was told anew for slurm:2. */
    @Test
    void shouldSayUnknownOfWhoRunsAndWhoIsWaitedForWhenALossMayHaveMovedIt() {
        switchTo(0, 0, 0, 0, RUNNABLE, 100, 100);
        hand(LOST, 1, 0, 0, 0, at(120), 1, at(100), at(100));
        wakeup(1, 900, 300, 300, 0);
        attach(950, 100, JOB_2, PRESENT);
        attach(950, 300, CRON, PRESENT);
        switchTo(0, 960, 100, 100, SLEEPS, 300, 300);
        switchTo(0, 970, 300, 300, SLEEPS, 0, 0);
        JobTable jobs = close().jobs();
        assertColumn(jobs, "slurm:1", JobColumn.CPU, 10);
        assertColumn(jobs, JobTable.UNKNOWN, JobColumn.CPU, 85);
        assertColumn(jobs, "slurm:2", JobColumn.CPU, 1);
        assertCauses(jobs.row(JobTable.UNKNOWN).orElseThrow(), JobTable.UNKNOWN, 5);
        assertCauses(jobs.row("cron.service").orElseThrow(), "slurm:2", 1);
    }

    /** It was there before what was lost, and is read later. */
    @Test
    void shouldNotBelieveALateRecordWhenALossMayHaveBeenTheLastWord() {
        hand(LOST, 1, 0, 0, 0, at(100), 1, at(60), at(70));
        attach(50, 100, JOB_1, MOVE);
        switchTo(0, 100, 0, 0, RUNNABLE, 100, 100);
        switchTo(0, 200, 100, 100, SLEEPS, 0, 0);
        JobTable jobs = close().jobs();
        assertColumn(jobs, JobTable.UNKNOWN, JobColumn.CPU, 10);
        assertThat(jobs.row("slurm:1")).isEmpty();
    }

    /** Of a cgroup whose path nobody has told, it is not known whether it is a job. */
    @Test
    void shouldSayUnknownWhenACgroupWasNotTold() {
        attach(0, 400, 99, PRESENT);
        switchTo(0, 0, 0, 0, RUNNABLE, 400, 400);
        switchTo(0, 100, 400, 400, SLEEPS, 0, 0);
        assertColumn(close().jobs(), JobTable.UNKNOWN, JobColumn.CPU, 10);
    }

    @Test
    void shouldKeepItsFiguresWhenAJobHasEnded() {
        switchTo(0, 0, 0, 0, RUNNABLE, 100, 100);
        switchTo(0, 100, 100, 100, SLEEPS, 0, 0);
        hand(SCHED_PROCESS_EXIT, 0, 100, 100, 100, at(100), 0, 1);
        hand(CGROUP_RMDIR, 0, 1, 1, JOB_1, at(101));
        for (int window = 1; window <= 5; window++) {
            assertColumn(close().jobs(), "slurm:1", JobColumn.CPU, 10.0 / window);
        }
        assertThat(close().jobs().rows()).isEmpty();
    }

    /** Each runs 1 ms, later ones more; the machine runs all the time, and that is what the rows add up to. */
    @Test
    void shouldKeepTheHeavyOnesAndTheSumWhenThereAreMoreJobsThanRows() {
        int jobs = 3 * JobRows.JOBS_MAX;
        for (int i = 0; i < jobs; i++) {
            cgroup(1_000 + i, "/system.slice/slurmstepd.scope/job_" + (1_000 + i));
            attach(0, 10_000 + i, 1_000 + i, PRESENT);
        }
        double seconds = 0;
        MetricSnapshot snapshot = null;
        for (int round = 0; round < 8; round++) {
            long timer = (long) (seconds * 1_000);
            int before = 0;
            for (int i = 0; i < jobs; i++) {
                switchTo(0, timer, before, before, SLEEPS, 10_000 + i, 10_000 + i);
                timer += i < 8 ? 20 : 1;
                before = 10_000 + i;
            }
            switchTo(0, timer, before, before, SLEEPS, 0, 0);
            seconds += 1;
            snapshot = close();
        }
        JobTable table = snapshot.jobs();
        double perRound = (8 * 20 + (jobs - 8)) / 10.0;
        assertThat(table.rows().stream()
                        .mapToDouble(row -> row.value(JobColumn.CPU))
                        .sum())
                .isEqualTo(perRound, within(1e-6));
        for (int i = 0; i < 8; i++) {
            assertColumn(table, "slurm:" + (1_000 + i), JobColumn.CPU, 2);
        }
        assertThat(table.rows()).hasSizeLessThanOrEqualTo(JobRows.JOBS_MAX + 1);
        assertThat(table.row(JobTable.REST)).isPresent();
        assertThat(table.rows().stream().filter(JobTable.Row::isJob))
                .hasSizeGreaterThan(JobRows.JOBS_MAX / 2)
                .allSatisfy(row -> assertThat(row.value(JobColumn.CPU))
                        .as(row.name())
                        .isEqualTo(
                                Integer.parseInt(row.name().substring("slurm:".length())) < 1_008 ? 2 : 0.1,
                                within(1e-9)));
    }

    /** Each is alone on the CPU for 10 ms in a second, and then another waits for it for 5 ms. */
    @Test
    void shouldNotShowAPartAsTheWholeWhenThereAreMoreJobsThanRows() {
        int jobs = JobRows.JOBS_MAX + 6;
        tellServices(jobs);
        JobTable table = JobTable.EMPTY;
        for (int second = 0; second < 12; second++) {
            int before = 0;
            for (int i = 0; i < jobs; i++) {
                long timer = second * 1_000L + 10 * i;
                wakeup(1, timer - 5, 10_000 + i, 10_000 + i, 0);
                switchTo(0, timer, before, before, SLEEPS, 10_000 + i, 10_000 + i);
                before = 10_000 + i;
            }
            switchTo(0, second * 1_000L + 10 * jobs, before, before, SLEEPS, 0, 0);
            table = close().jobs();
            assertThat(table.rows().stream().filter(JobTable.Row::isJob)).allSatisfy(row -> {
                assertThat(row.value(JobColumn.CPU)).as(row.name()).isEqualTo(1, within(1e-9));
                assertThat(row.value(JobColumn.WAIT)).as(row.name()).isEqualTo(0.5, within(1e-9));
            });
        }
        JobTable.Row rest = table.row(JobTable.REST).orElseThrow();
        long shown = table.rows().stream().filter(JobTable.Row::isJob).count();
        assertThat(shown).isGreaterThan(JobRows.JOBS_MAX / 2);
        assertThat(rest.value(JobColumn.CPU)).isEqualTo((double) (jobs - shown), within(1e-9));
        assertThat(rest.value(JobColumn.WAIT))
                .as("times in which one or another waited do not add up")
                .isNaN();
        assertThat(rest.value(JobColumn.WAIT_P99)).isNaN();
        assertThat(rest.causes()).isEmpty();
    }

    /** 70 run once; then one of those that joined the rest does so twice in each second, and the others are quiet. */
    @Test
    void shouldShowAJobAgainWhenAWholeWindowHasAllOfIt() {
        int jobs = JobRows.JOBS_MAX + 6;
        tellServices(jobs);
        for (int i = 0; i < jobs; i++) {
            switchTo(0, 10 * i, 0, 0, RUNNABLE, 10_000 + i, 10_000 + i);
            switchTo(0, 10 * i + 1 + i, 10_000 + i, 10_000 + i, SLEEPS, 0, 0);
        }
        close();
        for (int second = 1; second < 20; second++) {
            switchTo(0, 1_000 * second, 0, 0, RUNNABLE, 10_000, 10_000);
            switchTo(0, 1_000 * second + 20, 10_000, 10_000, SLEEPS, 0, 0);
            JobTable table = close().jobs();
            boolean whole = second > 5;
            assertThat(table.row("s0.service").isPresent())
                    .as("in second %d", second)
                    .isEqualTo(whole);
            if (whole) {
                assertColumn(table, "s0.service", JobColumn.CPU, 2);
            }
        }
    }

    /** A thread of it is in a read all the time. It joins the rest, and gets a row again when another thread of it runs. */
    @Test
    void shouldGiveWhatGoesOnBackToItsJobWhenThatHasARowAgain() {
        int jobs = JobRows.JOBS_MAX + 6;
        tellServices(jobs);
        hand(SYS_ENTER, 1, 10_000, 9_999, 0, at(0), 0, 0, 0, 0);
        switchTo(1, 0, 0, 0, RUNNABLE, 10_000, 9_998);
        for (int i = 1; i < jobs; i++) {
            switchTo(0, 10 * i, 0, 0, RUNNABLE, 10_000 + i, 10_000 + i);
            switchTo(0, 10 * i + 9, 10_000 + i, 10_000 + i, SLEEPS, 0, 0);
        }
        switchTo(1, 999, 10_000, 9_998, SLEEPS, 0, 0);
        hand(SYS_ENTER, 1, 10_001, 9_997, 0, at(1_000), 0, 0, 0, 0);
        close();
        JobTable table = JobTable.EMPTY;
        for (int second = 1; second < 12; second++) {
            hand(UDP_SENDMSG, 1, 10_001, 10_001, 7, at(1_000 * second + 1), 100, 2, 17);
            switchTo(0, 1_000 * second + 1_000, 0, 0, RUNNABLE, 0, 0);
            table = close().jobs();
        }
        assertColumn(table, "s0.service", JobColumn.SYSTEM_CALLS, 100);
        assertColumn(table, "s1.service", JobColumn.SYSTEM_CALLS, 100);
        assertThat(table.row(JobTable.REST)).isEmpty();
    }

    @Test
    void shouldNotGiveARowAwayWhenItsJobRunsSinceTheSlotsLastRecord() {
        switchTo(0, 1_000, 0, 0, RUNNABLE, 100, 100);
        close();
        hand(UDP_SENDMSG, 1, 300, 300, 7, at(1_001), 100, 2, 17);
        switchTo(0, 1_900, 100, 100, SLEEPS, 0, 0);
        JobTable jobs = close().jobs();
        assertColumn(jobs, "slurm:1", JobColumn.CPU, 45);
        assertColumn(jobs, "cron.service", JobColumn.CPU, 0);
    }

    @Test
    void shouldNotGiveARowAwayWhenItsJobWaitsSinceTheSlotsLastRecord() {
        switchTo(0, 0, 0, 0, RUNNABLE, 2, 2);
        wakeup(1, 1_000, 100, 100, 0);
        close();
        hand(UDP_SENDMSG, 1, 300, 300, 7, at(1_001), 100, 2, 17);
        switchTo(0, 1_900, 2, 2, SLEEPS, 100, 100);
        switchTo(0, 1_950, 100, 100, SLEEPS, 0, 0);
        JobTable jobs = close().jobs();
        assertColumn(jobs, "slurm:1", JobColumn.WAIT, 45);
        assertColumn(jobs, "slurm:1", JobColumn.WAIT_MAX, 900_000);
        assertColumn(jobs, "cron.service", JobColumn.WAIT, 0);
    }

    @Test
    void shouldNotGiveARowAwayWhenItsThreadIsAtSomethingSinceTheSlotsLastRecord() {
        hand(SYS_ENTER, 0, 100, 100, 0, at(1_000), 0, 0, 0, 0);
        close();
        hand(UDP_SENDMSG, 1, 300, 300, 7, at(1_001), 100, 2, 17);
        hand(SYS_EXIT, 0, 100, 100, 0, at(1_900), 1, 0);
        JobTable jobs = close().jobs();
        assertColumn(jobs, "slurm:1", JobColumn.SYSTEM_CALLS, 45);
        assertThat(jobs.row(JobTable.REST)).isEmpty();
    }

    /** Its row is another's by now, but there is room. */
    @Test
    void shouldCountPacketsForTheSocketsJobWhenItWasIdleForAWindow() {
        hand(TCP_SENDMSG, 0, 200, 200, 8, at(3), 1_000, 2, 6);
        for (int i = 1; i <= 6; i++) {
            switchTo(1, 1_000 * i - 1, 2, 2, SLEEPS, 0, 0);
            close();
        }
        hand(UDP_SENDMSG, 1, 300, 300, 7, at(6_001), 100, 2, 17);
        hand(TCP_RETRANSMIT_SKB, 0, 300, 300, 8, at(6_007), 0, 10, 0, 0, 0, 0, 3);
        JobTable jobs = close().jobs();
        assertColumn(jobs, "slurm:2", JobColumn.RETRANSMITS, 3 / 5.0);
        assertThat(jobs.row(JobTable.REST)).isEmpty();
    }

    /** More threads wait than there is room for. */
    @Test
    void shouldSayThatTimesAreMissingWhenThereIsNoRoom() {
        for (int i = 0; i < 20_000; i++) {
            wakeup(1, 1, 100, 100_000 + i, 0);
        }
        close();
        assertThat(summary.discards().evicted()).isGreaterThan(10_000);
        long before = summary.discards().evicted();
        for (int i = 0; i < 20_000; i++) {
            hand(SYS_ENTER, 0, 100, 100_000 + i, 0, at(2), 0, 0, 0, 0);
        }
        close();
        assertThat(summary.discards().evicted()).isGreaterThan(before + 10_000);
    }

    @Test
    void shouldSayThatACgroupHasNoRoom() {
        for (int i = 0; i <= Owners.CGROUPS_MAX; i++) {
            cgroup(1_000 + i, "/x" + i);
        }
        assertThat(summary.ownersWithoutRoom()).isEqualTo(5);
    }

    private void tellServices(int services) {
        for (int i = 0; i < services; i++) {
            cgroup(1_000 + i, "/system.slice/s" + i + ".service");
            attach(0, 10_000 + i, 1_000 + i, PRESENT);
        }
    }

    @Test
    void shouldNotMixJobsWhenAProcessIdIsUsedAgain() {
        switchTo(0, 0, 0, 0, RUNNABLE, 110, 110);
        hand(SCHED_PROCESS_EXIT, 0, 110, 110, 110, at(90), 0, 1);
        switchTo(0, 100, 110, 110, 0x80, 0, 0);
        hand(SCHED_PROCESS_FORK, 0, 200, 200, 110, at(150), 110, 200);
        switchTo(0, 200, 0, 0, RUNNABLE, 110, 110);
        switchTo(0, 250, 110, 110, SLEEPS, 0, 0);
        JobTable jobs = close().jobs();
        assertColumn(jobs, "slurm:1", JobColumn.CPU, 10);
        assertColumn(jobs, "slurm:2", JobColumn.CPU, 5);
    }

    @Test
    void shouldForgetWhatGoesOnWhenTheTimerBeginsAnew() {
        attach(100_000, 100, JOB_1, MOVE);
        switchTo(0, 100_000, 0, 0, RUNNABLE, 100, 100);
        wakeup(1, 100_000, 200, 200, 0);
        summary.onNewEpoch(2);
        attach(0, 100, JOB_1, PRESENT);
        attach(0, 200, JOB_2, PRESENT);
        wakeup(1, 10, 200, 200, 0);
        switchTo(0, 20, 100, 100, SLEEPS, 200, 200);
        switchTo(0, 50, 200, 200, SLEEPS, 0, 0);
        JobTable jobs = close().jobs();
        assertColumn(jobs, "slurm:2", JobColumn.CPU, 3);
        assertColumn(jobs, "slurm:2", JobColumn.WAIT, 1);
        assertThat(jobs.row("slurm:1")).isEmpty();
    }

    private static long at(long millis) {
        return millis * MILLI;
    }

    private void hand(EventType type, int cpu, int tgid, int tid, long abstractId, long timer, long... fields) {
        writer.record(type, cpu, tgid, tid, abstractId, timer, fields);
        summary.onRecord(record.wrap(writer.buffer(), 0));
        writer.clear();
    }

    private void cgroup(long id, String path) {
        writer.record(CGROUP_MKDIR, 0, 1, 1, id, 0, 1, 2, path.length()).text(CGROUP_MKDIR, "path", path);
        summary.onRecord(record.wrap(writer.buffer(), 0));
        writer.clear();
    }

    private void attach(long millis, int process, long cgroup, int how) {
        hand(TASK_ATTACH, 0, 1, 1, process, at(millis), cgroup, how);
    }

    private void switchTo(int cpu, long millis, int tgid, int tid, int state, int nextTgid, int nextTid) {
        hand(SCHED_SWITCH, cpu, tgid, tid, nextTid, at(millis), state, nextTgid);
    }

    private void wakeup(int cpu, long millis, int tgid, int tid, int target) {
        hand(SCHED_WAKEUP, cpu, 1, 1, tid, at(millis), target, tgid);
    }

    private MetricSnapshot close() {
        nowNanos += 1_000 * MILLI;
        return summary.closeWindow(nowNanos, Instant.EPOCH, JobMetrics.all(), snapshot -> {});
    }

    private static void assertColumn(JobTable jobs, String name, JobColumn column, double value) {
        assertThat(jobs.row(name).orElseThrow().value(column))
                .as("%s %s", name, column)
                .isEqualTo(value, within(1e-9));
    }

    private static void assertCauses(JobTable.Row job, Object... namesAndShares) {
        List<JobTable.Cause> causes = job.causes();
        assertThat(causes).hasSize(namesAndShares.length / 2);
        for (int i = 0; i < causes.size(); i++) {
            assertThat(causes.get(i).name()).isEqualTo(namesAndShares[2 * i]);
            assertThat(causes.get(i).percent())
                    .isEqualTo(((Number) namesAndShares[2 * i + 1]).doubleValue(), within(1e-9));
        }
    }
}
