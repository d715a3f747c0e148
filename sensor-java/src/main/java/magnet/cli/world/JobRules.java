// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.job.JobNames;
import magnet.record.EventType;
import magnet.trace.EventFormat;
import org.jspecify.annotations.Nullable;

/**
 * Rules that ask for a job: the kernel knows cgroups only, so {@code job == slurm:4711} becomes {@code cgroup in} the ids of
 * the cgroups that are this job when the command is given, and of those below. Stateless.
 */
public final class JobRules {
    private static final Pattern ASKED = Pattern.compile("(?<!\\S)job\\s+(\\S+)\\s+([^\\s;]+)");
    /** A field of the point that happens to have this name. */
    private static final Pattern NUMBERS = Pattern.compile("[-0-9xXa-fA-F,]*");

    private static final Pattern LIST = Pattern.compile(",");
    private static final List<Path> HIERARCHIES = List.of(Path.of("sys/fs/cgroup/unified"), Path.of("sys/fs/cgroup"));
    private static final Path CONTROL = Path.of("cgroup.controllers");
    private static final int VALUES_MAX = 32;
    private static final int JOBS_TOLD = 20;

    private static final String CGROUP = "cgroup";

    private JobRules() {}

    /**
     * The same rules with cgroups in the place of jobs.
     *
     * @throws Failure if a job is not there, or cannot be asked for like this
     */
    public static List<String> resolve(List<String> rules, World world) throws IOException {
        if (!ask(rules)) {
            return rules;
        }
        Map<String, List<String>> jobs = present(OwnerPoints.names(world), world.root());
        List<String> resolved = new ArrayList<>();
        for (String rule : rules) {
            StringBuilder text = new StringBuilder();
            Matcher asked = ASKED.matcher(rule);
            while (asked.find()) {
                String part = isNumber(asked) ? asked.group() : test(asked.group(1), asked.group(2), jobs);
                asked.appendReplacement(text, Matcher.quoteReplacement(part));
            }
            resolved.add(asked.appendTail(text).toString());
        }
        return resolved;
    }

    /** Whether one of these rules asks for a job. */
    public static boolean ask(List<String> rules) {
        return rules.stream().anyMatch(JobRules::asksForJob);
    }

    /**
     * Checks that a rule of a point can ask for a job: a field of its own goes before the cgroup that the process is in.
     *
     * @param event what its events look like; null if nobody knows
     */
    public static void check(String point, @Nullable EventFormat event) throws Failure {
        boolean own = (event != null && event.field(CGROUP) != null)
                || Arrays.stream(EventType.values())
                        .filter(type -> type.label().equals(point))
                        .flatMap(type -> type.fields().stream())
                        .anyMatch(field -> field.name().equals(CGROUP));
        if (own) {
            throw new Failure(point + " has a field cgroup of its own, so its rules cannot ask for a job; name other"
                    + " points with -p");
        }
    }

    private static boolean asksForJob(String rule) {
        Matcher asked = ASKED.matcher(rule);
        while (asked.find()) {
            if (!isNumber(asked)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isNumber(Matcher asked) {
        return NUMBERS.matcher(asked.group(2)).matches();
    }

    private static String test(String operator, String names, Map<String, List<String>> jobs) throws Failure {
        if (!operator.equals("==") && !operator.equals("in")) {
            throw new Failure("a rule asks for a job with ==, not with " + operator
                    + "; for all others write 'drop if job == " + names + "'");
        }
        List<String> cgroups = new ArrayList<>();
        for (String name : LIST.split(names, -1)) {
            List<String> of = jobs.get(name);
            if (of == null) {
                throw new Failure("no cgroup here is the job '" + name + "'; " + choices(jobs));
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

    /** By job the ids of its cgroups, without those below one of them. */
    private static Map<String, List<String>> present(JobNames names, Path root) throws IOException {
        Map<String, List<String>> jobs = new TreeMap<>();
        Path hierarchy = HIERARCHIES.stream()
                .map(root::resolve)
                .filter(each -> Files.exists(each.resolve(CONTROL)))
                .findFirst()
                .orElseThrow(
                        () -> new Failure("a rule can ask for a job only where cgroups of version 2 are mounted at "
                                + "/sys/fs/cgroup; there are none"));
        walk(hierarchy, "", "", names, jobs);
        return jobs;
    }

    private static void walk(Path folder, String path, String above, JobNames names, Map<String, List<String>> jobs)
            throws IOException {
        Optional<String> name = names.nameOf(path);
        try (DirectoryStream<Path> inside =
                Files.newDirectoryStream(folder, each -> Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS))) {
            if (name.isPresent() && !name.get().equals(above)) {
                jobs.computeIfAbsent(name.get(), any -> new ArrayList<>())
                        .add(String.valueOf(Files.getAttribute(folder, "unix:ino")));
            }
            for (Path each : inside) {
                walk(each, path + "/" + each.getFileName(), name.orElse(""), names, jobs);
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            // It has been removed meanwhile.
            return;
        }
    }
}
