// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import magnet.cli.trace.EventOptions;
import magnet.unit.ByteSize;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of {@code magnet hist} and {@code magnet count}: which events, for how long, and how they are shown. */
public final class AggregateOptions {
    /** As much as outlasts a burst at the busiest points. */
    private static final int BUFFER_BYTES = 4 << 20;

    private static final int ROWS = 20;
    private static final int KEYS_MOST = 4;
    private static final String BY = "by";
    private static final TimeSpan SHORTEST = new TimeSpan(Duration.ofMillis(100));
    private static final TimeSpan LONGEST = new TimeSpan(Duration.ofHours(1));

    @Option(
            names = {"-p", "--point"},
            paramLabel = "POINT",
            split = ",",
            description = "A point; several as a,b, or in several -p.")
    private List<String> points = new ArrayList<>();

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            description = "End after this time: 10 (seconds), 0.5, 90s, 5m, 1h.")
    private @Nullable TimeSpan duration;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "TIME",
            description = "Print the result after each interval of this time, 0.1s to 1h, and start again from zero.")
    private @Nullable TimeSpan interval;

    @Option(
            names = "--cumulative",
            description = "With -i: never start again from zero; print everything since the start.")
    private boolean cumulative;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "COUNT",
            description = "End after COUNT events.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = "--filter",
            paramLabel = "RULE",
            description = "A rule that decides in the kernel which events are counted, such as 'drop if len < 100'"
                    + " (docs/control.md); several rules apply in their order, at each point.")
    private List<String> filters = List.of();

    @Option(names = "--pid", paramLabel = "PID", description = "Count events of this process only.")
    private @Nullable Integer pid;

    @Option(names = "--not-self", description = "Leave out events of this command's own process.")
    private boolean notSelf;

    @Option(
            names = "--top",
            paramLabel = "N",
            description = "Print the N groups with the most events. Default: " + ROWS + ", or all with --json.")
    private @Nullable Integer top;

    @Option(
            names = "--buffer-size",
            paramLabel = "SIZE",
            description = "Memory for each CPU's events until they are counted, 64K to 256M (default 4M). More of it"
                    + " outlasts longer bursts.")
    private @Nullable ByteSize bufferSize;

    @Option(
            names = "--trace",
            paramLabel = "FOLDER",
            description = "Count the events of a saved trace (\"magnet read -o\") instead.")
    private @Nullable Path trace;

    @Option(names = "--json", description = "Print JSON: one object per line, for each interval (docs/aggregate.md).")
    private boolean json;

    @Option(names = "--raw", description = EventOptions.RAW)
    private boolean raw;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    /** Complains about values that cannot be, or be together. */
    void check() {
        check(count > 0, "--count COUNT must be at least 1");
        check(top == null || top > 0, "--top N must be at least 1");
        check(pid == null || pid > 0, "--pid PID must be at least 1");
        check(!cumulative || interval != null, "--cumulative goes with -i TIME");
        check(
                interval == null
                        || (interval.duration().compareTo(SHORTEST.duration()) >= 0
                                && interval.duration().compareTo(LONGEST.duration()) <= 0),
                "--interval TIME must be from 0.1s to 1h");
        check(
                points.stream().noneMatch(String::isBlank),
                "-p wants names of points with commas between them, such as udp_sendmsg,udp_rcv");
        check(
                trace == null || (duration == null && interval == null && !notSelf && bufferSize == null),
                "--trace reads what was saved, so it does not go with -d, -i, --not-self and --buffer-size");
    }

    /**
     * What {@code by KEY} asks for.
     *
     * @param words what follows the command, and the field if it has one
     * @return the keys; empty where no groups are asked for
     */
    List<String> keys(List<String> words) {
        if (words.isEmpty()) {
            return List.of();
        }
        String usage = "groups are asked for as by KEY, or by KEY,KEY, such as by process,cpu";
        check(words.get(0).toLowerCase(Locale.ROOT).equals(BY) && words.size() > 1, usage);
        List<String> keys = new ArrayList<>();
        for (String word : words.subList(1, words.size())) {
            for (String key : word.split(",", -1)) {
                check(!key.isBlank(), usage);
                check(!keys.contains(key), "by " + key + " stands there twice");
                keys.add(key);
            }
        }
        check(keys.size() <= KEYS_MOST, "at most " + KEYS_MOST + " keys after by");
        return keys;
    }

    /** Complains unless it is so. */
    void check(boolean good, String otherwise) {
        if (!good) {
            throw new ParameterException(command.commandLine(), otherwise);
        }
    }

    List<String> points() {
        return points;
    }

    /** The rules that the user gave, in their order. */
    List<String> filters() {
        return filters;
    }

    /** Whose events are counted. */
    ProcessChoice processes() {
        return new ProcessChoice(
                pid == null ? ProcessChoice.NOBODY : pid,
                notSelf ? (int) ProcessHandle.current().pid() : ProcessChoice.NOBODY);
    }

    /** Nanoseconds after which to end; {@link Long#MAX_VALUE} if it does not matter. */
    long longestNanos() {
        return duration == null ? Long.MAX_VALUE : duration.nanos();
    }

    /** Nanoseconds of an interval; {@link Long#MAX_VALUE} if there is none. */
    long intervalNanos() {
        return interval == null ? Long.MAX_VALUE : interval.nanos();
    }

    /** Whether what is printed is all since the start, or there is one print only. */
    boolean isCumulative() {
        return cumulative || interval == null;
    }

    boolean hasIntervals() {
        return interval != null;
    }

    /** How long it is, for people; empty if nobody knows. */
    String durationText() {
        return duration == null ? "" : duration.toString();
    }

    long count() {
        return count;
    }

    /** Groups to print. */
    int rows() {
        return top != null ? top : json ? Integer.MAX_VALUE : ROWS;
    }

    long bufferBytes() {
        return bufferSize == null ? BUFFER_BYTES : bufferSize.bytes();
    }

    /** The saved trace that is counted; null if the events are those to come. */
    @Nullable
    Path trace() {
        return trace;
    }

    boolean json() {
        return json;
    }

    /** Whether numbers are printed also where there are words for them. */
    boolean raw() {
        return raw;
    }
}
