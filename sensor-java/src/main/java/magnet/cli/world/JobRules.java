// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.job.JobNames;
import magnet.machine.CgroupHierarchy;
import magnet.machine.CgroupTree;
import magnet.machine.UnwatchedJobs;
import magnet.record.EventType;
import magnet.trace.EventFormat;
import magnet.trace.RuleException;
import magnet.trace.RuleForm;
import org.jspecify.annotations.Nullable;

/**
 * The rules that a user gives a command for the kernel, which knows cgroups only: {@code job == slurm:4711} becomes
 * {@code cgroup in} the ids of the cgroups that are this job when the command is given, and of those below. Immutable.
 */
public final class JobRules {
    private static final Pattern ASKED = Pattern.compile("(?<!\\S)job\\s+(\\S+)\\s+([^\\s;]+)");
    /** A field of the point that happens to have this name. */
    private static final Pattern NUMBERS = Pattern.compile("[-0-9xXa-fA-F,]*");

    private static final Pattern LIST = Pattern.compile(",");
    private static final int VALUES_MAX = 32;
    private static final int JOBS_TOLD = 20;

    private static final String CGROUP = "cgroup";
    private static final String JOB = "job";

    /** No rules. */
    public static final JobRules NONE = new JobRules(List.of(), false, "");

    private final List<String> rules;
    private final boolean askForJob;
    /** What a field job is compared with, if it is; empty if none is. */
    private final String advice;

    private JobRules(List<String> rules, boolean askForJob, String advice) {
        this.rules = List.copyOf(rules);
        this.askForJob = askForJob;
        this.advice = advice;
    }

    /**
     * Looks at rules.
     *
     * @throws RuleException if one is no rule, or no question about a job
     * @throws Failure if a job is not there, or cannot be asked for
     */
    public static JobRules of(List<String> given, World world) throws IOException {
        RuleForm.check(given);
        List<MatchResult> asked =
                given.stream().flatMap(rule -> ASKED.matcher(rule).results()).toList();
        if (asked.isEmpty()) {
            return new JobRules(given, false, "");
        }
        List<String> numbers = asked.stream()
                .filter(JobRules::isNumber)
                .map(found -> found.group(2))
                .toList();
        boolean askForJob = numbers.size() < asked.size();
        JobNames names = OwnerPoints.names(world);
        Map<String, List<String>> jobs = askForJob ? present(names, world) : presentIfAny(names, world);
        return new JobRules(
                askForJob ? resolved(given, jobs, () -> elsewhere(names, world)) : given,
                askForJob,
                numbers.isEmpty() ? "" : advice(numbers.get(0), jobs));
    }

    /** The end of a line that says that a job is not there. */
    @FunctionalInterface
    private interface Elsewhere {
        String text() throws IOException;
    }

    private static List<String> resolved(List<String> given, Map<String, List<String>> jobs, Elsewhere elsewhere)
            throws IOException {
        List<String> resolved = new ArrayList<>();
        for (String rule : given) {
            StringBuilder text = new StringBuilder();
            Matcher asked = ASKED.matcher(rule);
            while (asked.find()) {
                String part = isNumber(asked) ? asked.group() : test(asked.group(1), asked.group(2), jobs, elsewhere);
                asked.appendReplacement(text, Matcher.quoteReplacement(part));
            }
            resolved.add(asked.appendTail(text).toString());
        }
        return resolved;
    }

    /** The job that somebody means who gives its number alone. */
    private static String advice(String number, Map<String, List<String>> jobs) {
        return jobs.keySet().stream()
                .filter(name -> name.endsWith(":" + number))
                .findFirst()
                .map(name -> "; did you mean job == " + name + "?")
                .orElse("; a job is KIND:NAME, such as slurm:4711, and " + choices(jobs));
    }

    /** The same rules with cgroups in the place of jobs. */
    public List<String> rules() {
        return rules;
    }

    /**
     * Checks that the rules of a point can ask for a job: a field of its own goes before the cgroup that the process is in.
     *
     * @param event what its events look like; null if nobody knows
     */
    public void check(String point, @Nullable EventFormat event) throws IOException {
        if (askForJob && hasField(point, event, CGROUP)) {
            throw new Failure(point + " has a field cgroup of its own, so its rules cannot ask for a job; name other"
                    + " points with -p");
        }
        boolean known = event != null || type(point).isPresent();
        if (!advice.isEmpty() && known && !hasField(point, event, JOB)) {
            throw new RuleException(point + " has no field job that could be a number" + advice);
        }
    }

    private static boolean hasField(String point, @Nullable EventFormat event, String name) {
        return (event != null && event.field(name) != null)
                || type(point).stream()
                        .flatMap(type -> type.fields().stream())
                        .anyMatch(field -> field.name().equals(name));
    }

    private static Optional<EventType> type(String point) {
        return Arrays.stream(EventType.values())
                .filter(type -> type.label().equals(point))
                .findFirst();
    }

    private static boolean isNumber(MatchResult asked) {
        return NUMBERS.matcher(asked.group(2)).matches();
    }

    private static String test(String operator, String names, Map<String, List<String>> jobs, Elsewhere elsewhere)
            throws IOException {
        if (!operator.equals("==") && !operator.equals("in")) {
            throw new RuleException("a rule asks for a job with ==, not with " + operator
                    + "; for all others write 'drop if job == " + names + "'");
        }
        List<String> cgroups = new ArrayList<>();
        for (String name : LIST.split(names, -1)) {
            List<String> of = jobs.get(name);
            if (of == null) {
                throw new Failure("no cgroup here is the job '" + name + "'; " + choices(jobs) + elsewhere.text());
            }
            cgroups.addAll(of);
        }
        if (cgroups.size() > VALUES_MAX) {
            throw new Failure(names + " has " + cgroups.size() + " cgroups side by side, and a rule takes " + VALUES_MAX
                    + "; name a cgroup above them: cgroup in PATH");
        }
        return "cgroup in " + String.join(",", cgroups);
    }

    private static String choices(Map<String, List<String>> jobs) {
        if (jobs.isEmpty()) {
            return "there is no job at all (see [jobs] in magnet.conf)";
        }
        int more = jobs.size() - JOBS_TOLD;
        String told = String.join(", ", jobs.keySet().stream().limit(JOBS_TOLD).toList());
        return "there are: " + told + (more > 0 ? " and " + more + " more" : "");
    }

    /** Jobs that the module could know; empty if there are none. */
    private static String elsewhere(JobNames names, World world) throws IOException {
        return UnwatchedJobs.find(world.root(), world.processes(), names::nameOf)
                .map(jobs -> "; " + jobs + ": load it with " + jobs.parameter())
                .orElse("");
    }

    /** By job the ids of its cgroups, without those below one of them. */
    private static Map<String, List<String>> present(JobNames names, World world) throws IOException {
        Optional<Map<String, Long>> ids = CgroupTree.ids(world.root());
        if (ids.isEmpty()) {
            throw new Failure(notMounted(CgroupHierarchy.watched(world.root())) + elsewhere(names, world));
        }
        Map<String, List<String>> jobs = new TreeMap<>();
        Map<String, String> byPath = new HashMap<>();
        ids.get().forEach((path, id) -> {
            String name = names.nameOf(path).orElse("");
            byPath.put(path, name);
            String above = byPath.getOrDefault(path.substring(0, path.lastIndexOf('/')), "");
            if (!name.isEmpty() && !name.equals(above)) {
                jobs.computeIfAbsent(name, any -> new ArrayList<>()).add(String.valueOf(id));
            }
        });
        return jobs;
    }

    private static String notMounted(CgroupHierarchy watched) {
        return watched.isUnified()
                ? "a rule can ask for a job only where cgroups of version 2 are mounted at /sys/fs/cgroup; there are none"
                : "a rule can ask for a job only where the cgroups are mounted that the module's parameter job_hierarchy"
                        + " names; mount -t cgroup -o " + watched.name() + " mounts them";
    }

    /** Where there are none to find, nobody asks for one. */
    private static Map<String, List<String>> presentIfAny(JobNames names, World world) throws IOException {
        try {
            return present(names, world);
        } catch (Failure e) {
            return Map.of();
        }
    }
}
