// SPDX-License-Identifier: Apache-2.0
package magnet.it.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
    private static final Duration FETCH_LIMIT = Duration.ofMinutes(1);
    /** Where magnetd tells all causes: Ganglia gets the longest only. */
    static final String PAGE = "127.0.0.1:9464";

    private static final Pattern WINDOW = Pattern.compile("(?m)^magnet_sensor_window_length_seconds (\\S+)$");
    private static final Pattern CAUSE =
            Pattern.compile("(?m)^magnet_job_waited_for_ratio\\{cause=\"([^\"]+)\",job=\"([^\"]+)\"} (\\S+)$");

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
     * @param causes who ran meanwhile, and for how many seconds; the one that did longest first
     */
    private record Account(
            String name, double cpuSeconds, double cpuStatSeconds, double waitSeconds, Map<String, Double> causes) {
        String text() {
            String longest = causes.entrySet().stream()
                    .findFirst()
                    .map(cause ->
                            String.format(Locale.ROOT, ", of these %.1f s for %s", cause.getValue(), cause.getKey()))
                    .orElse("");
            return String.format(
                    Locale.ROOT,
                    "  %s ran %.1f s (cpu.stat: %.1f s) and waited %.1f s for a CPU%s",
                    name,
                    cpuSeconds,
                    cpuStatSeconds,
                    waitSeconds,
                    longest);
        }

        String json() {
            return String.format(
                    Locale.ROOT,
                    "\"%s\": {\"cpu_seconds\": %.3f, \"cpu_stat_seconds\": %.3f, \"wait_seconds\": %.3f,"
                            + " \"waited_for\": {%s}}",
                    name,
                    cpuSeconds,
                    cpuStatSeconds,
                    waitSeconds,
                    causes.entrySet().stream()
                            .map(cause -> String.format(Locale.ROOT, "\"%s\": %.3f", cause.getKey(), cause.getValue()))
                            .collect(Collectors.joining(", ")));
        }
    }

    private final Guest guest;
    private List<Double> cpuStatSeconds = List.of();
    private String page = "";

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

    /** Asks magnetd who waited for whom. To be called while the window has all of it. */
    void ask() {
        page = guest.run(FETCH_LIMIT, "curl", "-sSf", "http://" + PAGE + "/metrics")
                .orFail()
                .stdout();
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

    private Account account(GmondXml xml, String name, double cpuStat) {
        PublishedJob job = PublishedJob.named(xml, name)
                .orElseThrow(() -> new IllegalStateException(name + " is none of the jobs in gmond's XML"));
        return new Account(
                name,
                job.overWindow("cpu_percent") / PERCENT,
                cpuStat,
                job.overWindow("wait_percent") / PERCENT,
                causes(name));
    }

    private Map<String, Double> causes(String job) {
        Matcher window = WINDOW.matcher(page);
        if (!window.find()) {
            throw new IllegalStateException("magnetd's page has no " + WINDOW);
        }
        double seconds = Double.parseDouble(window.group(1));
        List<MatchResult> causes = CAUSE.matcher(page)
                .results()
                .filter(cause -> cause.group(2).equals(job))
                .sorted(Comparator.comparingDouble((MatchResult cause) -> Double.parseDouble(cause.group(3)))
                        .reversed())
                .toList();
        Map<String, Double> found = new LinkedHashMap<>();
        causes.forEach(cause -> found.put(cause.group(1), Double.parseDouble(cause.group(3)) * seconds));
        return found;
    }
}
