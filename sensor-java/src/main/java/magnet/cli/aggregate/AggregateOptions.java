// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import magnet.cli.trace.EventOptions;
import magnet.cli.world.BufferSizeOption;
import magnet.cli.world.CountOption;
import magnet.cli.world.DurationOption;
import magnet.cli.world.IntervalOption;
import magnet.cli.world.PidOption;
import magnet.cli.world.PointChoice;
import magnet.cli.world.ProcessChoice;
import magnet.cli.world.ReadOn;
import magnet.cli.world.RowsOption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
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

    @Option(
            names = {"-p", "--point"},
            paramLabel = "POINT",
            split = ",",
            description = "A point; several as a,b, or in several -p.")
    private List<String> points = new ArrayList<>();

    @Mixin
    private final DurationOption duration = new DurationOption(DurationOption.USUAL);

    @Mixin
    private final IntervalOption interval = new IntervalOption(
            "Print the result after each interval of this time, 0.1s to 1h, and start again from zero.");

    @Option(
            names = "--cumulative",
            description = "With -i: never start again from zero; print everything since the start.")
    private boolean cumulative;

    @Mixin
    private final CountOption count = new CountOption("End after COUNT events.");

    @Option(
            names = "--filter",
            paramLabel = "RULE",
            description = "A rule that decides in the kernel which events are counted, such as 'drop if len < 100'"
                    + " (" + ReadOn.DOCS + "/control.md); several rules apply in their order, at each point.")
    private List<String> filters = List.of();

    @Mixin
    private final PidOption pid = new PidOption("Count events of this process only: those that happened while it ran.");

    @Option(names = "--not-self", description = "Leave out events of this command's own process.")
    private boolean notSelf;

    @Mixin
    private final RowsOption top =
            new RowsOption("Print the N groups with the most events. Default: " + ROWS + ", or all with --json.");

    @Mixin
    private final BufferSizeOption bufferSize = new BufferSizeOption(
            "Memory for each CPU's events until they are counted, 64K to 256M. Default: 4M. A larger size survives"
                    + " longer bursts.",
            BUFFER_BYTES);

    @Option(
            names = "--trace",
            paramLabel = "FOLDER",
            description = "Count the events of a saved trace (\"magnet read -o\") instead.")
    private @Nullable Path trace;

    @Option(
            names = "--json",
            description = "Print JSON: one object per line, for each interval (" + ReadOn.DOCS + "/aggregate.md).")
    private boolean json;

    @Option(names = "--raw", description = EventOptions.RAW)
    private boolean raw;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    /** Complains about values that cannot be, or be together. */
    void check() {
        count.check(command.commandLine());
        top.check(command.commandLine());
        pid.check(command.commandLine());
        check(!cumulative || interval.isGiven(), "--cumulative goes with -i TIME");
        interval.check(command.commandLine());
        PointChoice.check(command.commandLine(), "-p", points);
        bufferSize.check(command.commandLine());
        check(
                trace == null || (!duration.isGiven() && !interval.isGiven() && !notSelf && !bufferSize.isGiven()),
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
                pid.process().orElse(ProcessChoice.NOBODY),
                notSelf ? (int) ProcessHandle.current().pid() : ProcessChoice.NOBODY);
    }

    /** Nanoseconds after which to end; {@link Long#MAX_VALUE} if it does not matter. */
    long longestNanos() {
        return duration.nanos();
    }

    /** The same in seconds; infinite if it does not matter. */
    double seconds() {
        return duration.seconds();
    }

    /** Nanoseconds of an interval; {@link Long#MAX_VALUE} if there is none. */
    long intervalNanos() {
        return interval.nanos();
    }

    /** Whether what is printed is all since the start, or there is one print only. */
    boolean isCumulative() {
        return cumulative || !interval.isGiven();
    }

    boolean hasIntervals() {
        return interval.isGiven();
    }

    /** How long it is, for people; empty if nobody knows. */
    String durationText() {
        return duration.text();
    }

    long count() {
        return count.most();
    }

    /** Groups to print. */
    int rows() {
        return top.orElse(json ? Integer.MAX_VALUE : ROWS);
    }

    long bufferBytes() {
        return bufferSize.bytes();
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
