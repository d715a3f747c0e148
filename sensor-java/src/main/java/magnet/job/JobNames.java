// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * Which cgroups are jobs, and what they are called: an ordered list of patterns for cgroups' paths.
 *
 * <p>The first pattern that fits a path names its job: {@code KIND:NAME}, where the pattern has the kind and the path the
 * name. A unit of systemd keeps its own name, {@code cron.service}. A path that fits no pattern is no job.
 *
 * <p>Names are fit for tables, rules and labels. They have at most {@value #LENGTH_MAX} characters; longer ones end with a
 * check sum, so that two jobs do not share a name. systemd's escapes are undone ({@code \x2d} is {@code -}). Spaces, commas and
 * control characters become {@code _}. A container's id of 64 digits has its first 12, as its engine shows it; the id of a pod has
 * its dashes.
 *
 * <p>Immutable.
 */
public final class JobNames {
    /** Most characters of a name. */
    public static final int LENGTH_MAX = 64;
    /** Most patterns of a list. */
    public static final int PATTERNS_MAX = 256;

    private static final Pattern KIND = Pattern.compile("[a-z][a-z0-9_-]{0,15}");
    private static final Pattern LIST = Pattern.compile("\\s*,\\s*");
    private static final Pattern ESCAPE = Pattern.compile("\\\\x([0-9a-fA-F]{2})");
    private static final Pattern CONTAINER = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern POD =
            Pattern.compile("([0-9a-f]{8})_([0-9a-f]{4})_([0-9a-f]{4})_([0-9a-f]{4})_([0-9a-f]{12})");
    private static final int CONTAINER_DIGITS = 12;
    private static final int CHECK_DIGITS = 8;

    /**
     * What counts where nobody says otherwise.
     *
     * <p>Whoever may make folders below a job must not name another job by them. So patterns of what root alone makes come first:
     * below nothing, or below slices of systemd, which it does not hand to others. Then come users and services with all that
     * they make, and then what may stand anywhere else.
     */
    public static final JobNames DEFAULTS = new JobNames(List.of())
            .with("gang", "/magnet.slice/gang-{*}/**")
            .with(
                    "slurm",
                    "**.slice/*slurmstepd.scope/job_{*}/**, **.slice/*slurmstepd.scope/{s?????????????}/**, "
                            + "/slurm*/uid_*/job_{*}/**")
            .with(
                    "pbs",
                    "**.slice/pbspro.service/jobid/{*}/**, **.slice/pbs_jobs.service/jobid/{*}/**, "
                            + "**.slice/pbs_jobs.service/jobs/{*}/**, **.slice/pbspro.slice/pbspro-{*}.slice/**")
            .with("torque", "/torque/{*}/**")
            .with("user", "/user.slice/user-{*}.slice/**")
            .with("service", "**.slice/{*.service}/**")
            .with("machine", "**.slice/machine-{*}.scope/**")
            .with(
                    "podman",
                    "**.slice/libpod-conmon-{*}.scope/**, **.slice/libpod-{*}.scope/**, /libpod_parent/libpod-{*}/**")
            .with("lxc", "/lxc.payload.{*}/**, /lxc.monitor.{*}/**, /lxc/{*}/**")
            .with("docker", "**.slice/docker-{*}.scope/**, /docker/{*}/**, /*/docker/{*}/**, /*/*/docker/{*}/**")
            .with(
                    "pod",
                    "**.slice/*kubepods*pod{*}.slice/**, /kubepods/**/pod{*}/**, /*/kubepods/**/pod{*}/**, "
                            + "/*/*/kubepods/**/pod{*}/**")
            .with(
                    "container",
                    "**.slice/cri-containerd-{*}.scope/**, **.slice/crio-conmon-{*}.scope/**, **.slice/crio-{*}.scope/**, "
                            + "**.slice/nerdctl-{*}.scope/**")
            .with("scope", "**.slice/{*.scope}/**");

    private record Entry(String kind, JobPattern pattern) {}

    private final List<Entry> entries;

    private JobNames(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    /** A list without patterns: nothing is a job. */
    public static JobNames none() {
        return new JobNames(List.of());
    }

    /**
     * The same list with more patterns at its end.
     *
     * @param kind what comes before the name: a lower-case letter, then up to 15 lower-case letters, digits, '_' or '-'
     * @param patterns one or several, separated by commas
     * @throws IllegalArgumentException if one of them is not valid; the message says why
     */
    public JobNames with(String kind, String patterns) {
        if (!KIND.matcher(kind).matches()) {
            throw new IllegalArgumentException(
                    "'" + kind + "' must be a lower-case letter and up to 15 lower-case letters, digits, '_' or '-'");
        }
        List<Entry> all = new ArrayList<>(entries);
        for (String each : LIST.split(patterns.strip(), -1)) {
            all.add(new Entry(kind, JobPattern.parse(each)));
        }
        if (all.size() > PATTERNS_MAX) {
            throw new IllegalArgumentException("there may be at most " + PATTERNS_MAX + " patterns");
        }
        return new JobNames(all);
    }

    /** The kinds with their patterns, one line each, as magnet.conf has them. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        String kind = "";
        for (Entry entry : entries) {
            if (entry.kind.equals(kind)) {
                int last = lines.size() - 1;
                lines.set(last, lines.get(last) + ", " + entry.pattern);
            } else {
                kind = entry.kind;
                lines.add(kind + " = " + entry.pattern);
            }
        }
        return lines;
    }

    /**
     * The name of the job that a cgroup belongs to; empty if it belongs to none.
     *
     * @param path from the root of the hierarchy, as {@code /proc/PID/cgroup} shows it behind {@code 0::}
     */
    public Optional<String> nameOf(String path) {
        if (!path.startsWith("/") || path.length() == 1) {
            return Optional.empty();
        }
        List<String> names = Arrays.asList(path.substring(1).split("/", -1));
        for (Entry entry : entries) {
            Optional<String> captured = entry.pattern.captured(names);
            if (captured.isPresent()) {
                return Optional.of(name(entry.kind, captured.get()));
            }
        }
        return Optional.empty();
    }

    private static String name(String kind, String captured) {
        String mended = fit(ESCAPE.matcher(captured)
                .replaceAll(escape ->
                        Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(escape.group(1), 16)))));
        if (CONTAINER.matcher(mended).matches()) {
            mended = mended.substring(0, CONTAINER_DIGITS);
        }
        mended = POD.matcher(mended).replaceFirst("$1-$2-$3-$4-$5");
        return bounded(mended.endsWith("." + kind) ? mended : kind + ":" + mended);
    }

    private static String fit(String text) {
        StringBuilder made = new StringBuilder(text.length());
        text.codePoints().forEach(each -> made.appendCodePoint(isFit(each) ? each : '_'));
        return made.toString();
    }

    private static boolean isFit(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SPACE_SEPARATOR -> false;
            default -> character != ',' && character != ';' && character != '"';
        };
    }

    private static String bounded(String name) {
        if (name.length() <= LENGTH_MAX) {
            return name;
        }
        CRC32 sum = new CRC32();
        sum.update(name.getBytes(StandardCharsets.UTF_8));
        int kept = LENGTH_MAX - CHECK_DIGITS - 1;
        if (Character.isHighSurrogate(name.charAt(kept - 1))) {
            kept--;
        }
        return name.substring(0, kept) + "~" + String.format("%08x", sum.getValue());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof JobNames names && lines().equals(names.lines());
    }

    @Override
    public int hashCode() {
        return lines().hashCode();
    }

    @Override
    public String toString() {
        return lines().toString();
    }
}
