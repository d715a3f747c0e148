// SPDX-License-Identifier: Apache-2.0
package magnet.it.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import magnet.it.ganglia.GmondXml;
import magnet.it.ganglia.PublishedJob;
import magnet.it.guest.Guest;

/**
 * Two jobs of Slurm, as their cgroups are, that compete for one CPU: both always want it, and the scheduler gives the second
 * one a third of what the first one gets (nice 5).
 */
final class CompetingJobs {
    private static final double PERCENT = 100;
    private static final double MICROS_PER_SECOND = 1e6;
    private static final String NOBODY = "-";

    private static final String WORK = """
            root=/sys/fs/cgroup slurm=/sys/fs/cgroup/system.slice/slurmstepd.scope
            mountpoint -q $root || mount -t cgroup2 none $root || exit 1
            for job in 1 2; do
                mkdir -p $slurm/job_$job || exit 1
                (
                    echo $BASHPID >$slurm/job_$job/cgroup.procs
                    exec taskset -c 0 nice -n $(((job - 1) * 5)) bash -c 'while :; do :; done'
                ) &
            done
            sleep %d
            kill $(jobs -p)
            wait
            for job in 1 2; do awk '/^usage_usec/ { print $2 }' $slurm/job_$job/cpu.stat; done
            """;

    /**
     * What there is to say of one.
     *
     * @param name the job
     * @param cpuSeconds CPU time by magnet
     * @param cpuStatSeconds CPU time by the kernel's {@code cpu.stat}
     * @param waitSeconds time in which it waited for a CPU
     * @param cause who ran longest meanwhile
     * @param causeSeconds for how long
     */
    private record Account(
            String name,
            double cpuSeconds,
            double cpuStatSeconds,
            double waitSeconds,
            String cause,
            double causeSeconds) {
        String text() {
            return String.format(
                    Locale.ROOT,
                    "  %s ran %.1f s (cpu.stat: %.1f s) and waited %.1f s for a CPU, of these %.1f s for %s",
                    name,
                    cpuSeconds,
                    cpuStatSeconds,
                    waitSeconds,
                    causeSeconds,
                    cause);
        }

        String json() {
            return String.format(
                    Locale.ROOT,
                    "\"%s\": {\"cpu_seconds\": %.3f, \"cpu_stat_seconds\": %.3f, \"wait_seconds\": %.3f,"
                            + " \"waited_for\": {\"%s\": %.3f}}",
                    name,
                    cpuSeconds,
                    cpuStatSeconds,
                    waitSeconds,
                    cause,
                    causeSeconds);
        }
    }

    private final Guest guest;
    private List<Double> cpuStatSeconds = List.of();

    CompetingJobs(Guest guest) {
        this.guest = guest;
    }

    /** Lets them compete. */
    void run(int seconds) {
        cpuStatSeconds = guest.sh(Duration.ofSeconds(seconds + 60L), WORK.formatted(seconds))
                .orFail()
                .stdout()
                .lines()
                .map(micros -> Long.parseLong(micros) / MICROS_PER_SECOND)
                .toList();
    }

    /** A line for each: what it did, and for whom it waited. */
    String text(GmondXml xml) {
        return accounts(xml).stream().map(Account::text).collect(Collectors.joining(System.lineSeparator()));
    }

    /** The same as an object of JSON. */
    String json(GmondXml xml) {
        return accounts(xml).stream().map(Account::json).collect(Collectors.joining(",\n  ", "{\n  ", "\n}"));
    }

    private List<Account> accounts(GmondXml xml) {
        List<Account> accounts = new ArrayList<>();
        for (int job = 1; job <= cpuStatSeconds.size(); job++) {
            accounts.add(account(xml, "slurm:" + job, cpuStatSeconds.get(job - 1)));
        }
        return accounts;
    }

    private static Account account(GmondXml xml, String name, double cpuStat) {
        PublishedJob job = PublishedJob.named(xml, name)
                .orElseThrow(() -> new IllegalStateException(name + " is none of the jobs in gmond's XML"));
        return new Account(
                name,
                job.overWindow("cpu_percent") / PERCENT,
                cpuStat,
                job.overWindow("wait_percent") / PERCENT,
                job.text("waited_for_name").orElse(NOBODY),
                job.overWindow("waited_for_percent") / PERCENT);
    }
}
