// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Interval.Kind;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The scheduler's events agree with the scheduler's own account, and the published maxima with the events. By a clock that counts
 * instructions: the scheduler reads its clock at the begin of a switch and logs the event towards the end, and how long that is
 * in an emulated guest depends on how busy the machine is.
 */
@GuestTest(icount = true)
final class SchedulerAgreementIT {
    private static final String FOREVER = "600";
    /** Times that the workload is to be on a CPU before the accounts are compared. */
    private static final int SLICES = 60;
    /** What the workload burns in each tenth of a second, in microseconds. */
    private static final String BURN = "20000";

    private static final String PERIOD = "100000";

    /** What a workload that has to wait is to have waited, in nanoseconds. */
    private static final long WAITED = 100_000_000;

    private static final int CHILDREN = 20;

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Percentage SAME = Percentage.withPercentage(5);

    private final Guest guest;
    private final ModuleState module;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    SchedulerAgreementIT(Guest guest) {
        this.guest = guest;
        this.module = new ModuleState(guest);
        KernelModule.loadUnlessLoaded(guest);
    }

    @Test
    void shouldAgreeWithSchedstatWhenAThreadBurnsAlone() {
        Account account = account(0, "build/tools/burner", BURN, PERIOD, FOREVER);

        assertThat(account.ran).isCloseTo(account.schedstatRan, SAME);
    }

    /** The other process keeps the CPU until its own slice is over, since a batch thread does not preempt it. */
    @Test
    void shouldAgreeWithSchedstatWhenAThreadHasToWait() {
        GuestProcess other = occupyCpu0();
        Account account = account(
                WAITED, "taskset", "-c", "0", "chrt", "--batch", "0", "build/tools/burner", BURN, PERIOD, FOREVER);
        other.kill();

        assertThat(account.schedstatWaited).isGreaterThanOrEqualTo(WAITED);
        assertThat(account.ran).isCloseTo(account.schedstatRan, SAME);
        assertThat(account.waited).isCloseTo(account.schedstatWaited, SAME);
    }

    /** Nobody wakes them, and yet they have to wait for their first turn. */
    @Test
    void shouldAgreeWithSchedstatWhenThreadsAreNew() {
        GuestProcess other = occupyCpu0();
        GuestProcess reader = startReader();
        GuestProcess process = guest.start("taskset", "-c", "0", "bash", "-c", """
                for i in {1..%d}; do (kill -STOP $BASHPID) & children+=($!); done
                for child in ${children[@]}; do
                    until grep -q '^State:.*T' /proc/$child/status; do sleep 0.1; done
                    echo $child $(</proc/$child/schedstat)
                done >/tmp/children.new
                mv /tmp/children.new /tmp/children
                exec sleep %s
                """.formatted(CHILDREN, FOREVER));
        guest.sh(LIMIT, "until [ -e /tmp/children ]; do sleep 0.2; done").orFail();
        List<Interval> intervals = stop(reader);
        List<String> children = guest.read("/tmp/children").lines().toList();
        guest.sh(LIMIT, "kill -KILL $(cut -d' ' -f1 /tmp/children); rm /tmp/children")
                .orFail();
        process.kill();
        other.kill();

        long waited = 0;
        long schedstatWaited = 0;
        for (String child : children) {
            String[] words = child.split(" ", -1);
            waited += nanos(Interval.sum(intervals, Kind.RUN_QUEUE_WAIT, Long.parseLong(words[0])));
            schedstatWaited += Long.parseLong(words[2]);
        }
        assertThat(children).hasSize(CHILDREN);
        assertThat(schedstatWaited).as("the workload makes them wait").isGreaterThan(50_000_000L);
        assertThat(waited).isCloseTo(schedstatWaited, SAME);
    }

    /** What the records and what the kernel say of one thread, in nanoseconds. */
    private record Account(long ran, long waited, long schedstatRan, long schedstatWaited) {}

    /** The workload is stopped, not ended: then both accounts end with the same slice. Not before it has waited as asked. */
    private Account account(long leastWait, String... workload) {
        GuestProcess reader = startReader();
        GuestProcess process = guest.start(workload);
        long tid = process.pid();
        String[] schedstat = guest.sh(LIMIT, """
                cd /proc/%d
                until read -r ran waited slices <schedstat
                    [[ $(<comm) == burner && $slices -ge %d && $waited -ge %d ]]; do sleep 0.2; done
                kill -STOP %1$d
                until grep -q '^State:.*T' status; do sleep 0.1; done
                cat schedstat
                """.formatted(tid, SLICES, leastWait))
                .orFail()
                .stdout()
                .strip()
                .split(" ", -1);
        List<Interval> intervals = stop(reader);
        process.kill();
        return new Account(
                nanos(Interval.sum(intervals, Kind.TIME_SLICE, tid)),
                nanos(Interval.sum(intervals, Kind.RUN_QUEUE_WAIT, tid)),
                Long.parseLong(schedstat[0]),
                Long.parseLong(schedstat[1]));
    }

    private GuestProcess occupyCpu0() {
        GuestProcess other = guest.start("taskset", "-c", "0", "bash", "-c", "echo occupied; while :; do :; done");
        other.awaitOutput("occupied", LIMIT);
        return other;
    }

    private GuestProcess startReader() {
        guest.run("mkdir", "-p", "/tmp/raw").orFail();
        GuestProcess reader = guest.start(
                "build/tools/magnet-read",
                "-p",
                "sched_switch",
                "-p",
                "sched_wakeup",
                "-p",
                "sched_process_exit",
                "-s",
                "4194304",
                "-o",
                "/tmp/raw");
        module.awaitOn("sched_process_exit", "sched_switch", "sched_wakeup");
        return reader;
    }

    private List<Interval> stop(GuestProcess reader) {
        reader.signal("INT");
        reader.waitFor(LIMIT).orFail();
        return Intervals.of(RawRecord.merged(fetchRaw()));
    }

    private List<Path> fetchRaw() {
        List<Path> files = new ArrayList<>();
        for (int cpu = 0; cpu < guest.options().smp(); cpu++) {
            String name = "cpu" + cpu + ".raw";
            files.add(guest.fetch("/tmp/raw/" + name, folder.resolve(name)));
        }
        return files;
    }

    private long nanos(long ticks) {
        return Math.round(ticks / module.ticksPerMicro() * 1e3);
    }
}
