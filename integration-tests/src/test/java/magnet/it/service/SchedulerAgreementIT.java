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

/** The scheduler's events agree with the scheduler's own account, and the published maxima with the events. */
@GuestTest
final class SchedulerAgreementIT {
    private static final String FOREVER = "600";
    /** Times that the workload is to be on a CPU before the accounts are compared. */
    private static final int SLICES = 180;

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Percentage SAME = Percentage.withPercentage(5);

    private final Guest guest;
    private final ModuleState module;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    SchedulerAgreementIT(Guest guest) {
        this.guest = guest;
        this.module = new ModuleState(guest);
        if (!module.isLoaded()) {
            KernelModule.load(guest);
        }
    }

    @Test
    void shouldAgreeWithSchedstatWhenAThreadBurnsAlone() {
        Account account = account("build/tools/burner", "2000", "100000", FOREVER);

        assertThat(account.ran).isCloseTo(account.schedstatRan, SAME);
    }

    /** The other process keeps the CPU until its own slice is over, since a batch thread does not preempt it. */
    @Test
    void shouldAgreeWithSchedstatWhenAThreadHasToWait() {
        GuestProcess other = guest.start("taskset", "-c", "1", "bash", "-c", "while :; do :; done");
        Account account =
                account("taskset", "-c", "1", "chrt", "--batch", "0", "build/tools/burner", "2000", "100000", FOREVER);
        other.kill();

        assertThat(account.schedstatWaited).as("the workload makes it wait").isGreaterThan(50_000_000L);
        assertThat(account.ran).isCloseTo(account.schedstatRan, SAME);
        assertThat(account.waited).isCloseTo(account.schedstatWaited, SAME);
    }

    /** What the records and what the kernel say of one thread, in nanoseconds. */
    private record Account(long ran, long waited, long schedstatRan, long schedstatWaited) {}

    /** The workload is stopped, not ended: then both accounts end with the same slice. */
    private Account account(String... workload) {
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
        GuestProcess process = guest.start(workload);
        long tid = process.pid();
        String[] schedstat = guest.sh(LIMIT, """
                cd /proc/%d
                until read -r ran waited slices <schedstat; [[ $(<comm) == burner && $slices -ge %d ]]; do sleep 0.2; done
                kill -STOP %1$d
                until grep -q '^State:.*T' status; do sleep 0.1; done
                cat schedstat
                """.formatted(tid, SLICES))
                .orFail()
                .stdout()
                .strip()
                .split(" ", -1);
        reader.signal("INT");
        reader.waitFor(LIMIT).orFail();
        process.kill();

        List<Interval> intervals = Intervals.of(RawRecord.merged(fetchRaw()));
        return new Account(
                nanos(Interval.sum(intervals, Kind.TIME_SLICE, tid)),
                nanos(Interval.sum(intervals, Kind.RUN_QUEUE_WAIT, tid)),
                Long.parseLong(schedstat[0]),
                Long.parseLong(schedstat[1]));
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
