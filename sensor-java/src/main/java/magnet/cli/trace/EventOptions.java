// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import magnet.cli.world.BufferSizeOption;
import magnet.cli.world.CountOption;
import magnet.cli.world.CounterSet;
import magnet.cli.world.DurationOption;
import magnet.cli.world.Formats;
import magnet.cli.world.JobRules;
import magnet.cli.world.PidOption;
import magnet.cli.world.ProcessChoice;
import magnet.cli.world.ReadOn;
import magnet.cli.world.World;
import magnet.control.MagnetControl;
import magnet.control.Selection;
import magnet.record.EventType;
import magnet.trace.EventFormat;
import magnet.trace.NamingEvent;
import magnet.trace.RuleWords;
import magnet.trace.TraceOwners;
import magnet.unit.ByteSize;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of commands that print events: which, of what, and how many. */
public final class EventOptions {
    /** What {@code --raw} does, in each command that prints words for numbers of all kinds. */
    public static final String RAW =
            "Print numbers where there is a word for them: task states, families, protocols, system calls,"
                    + " flags of allocations, reasons of drops and the like.";

    @Option(
            names = "--filter",
            paramLabel = "RULE",
            description = "A rule that decides in the kernel which events are logged, such as 'drop if id & 1' or"
                    + " 'sample 10 if cpu == 0' (" + ReadOn.DOCS
                    + "/control.md); several rules apply in their order, at each point.")
    private List<String> filters = List.of();

    private JobRules rules = JobRules.NONE;

    @Option(
            names = "--not-self",
            description =
                    "Leave out this command's own events, in the kernel: printing and saving events causes events,"
                            + " too.")
    private boolean notSelf;

    @Option(names = "--sample", paramLabel = "N", description = "Log one event out of N at each point.")
    private @Nullable Long sample;

    @Option(
            names = "--snap",
            paramLabel = "BYTES",
            description = "Log the first BYTES of each packet, at most 4000; -v prints them.")
    private @Nullable ByteSize snap;

    @Option(
            names = "--counters",
            paramLabel = "NAMES",
            description = "After each event, log counters of its CPU, such as 'instructions,cache_misses': "
                    + CounterSet.WANTED + ".")
    private @Nullable CounterSet counters;

    @Mixin
    private final CountOption count = new CountOption("End after COUNT events.");

    @Mixin
    private final DurationOption duration = new DurationOption(DurationOption.USUAL);

    @Mixin
    private final PidOption pid = new PidOption(
            "Print events of this process only: those that happened while it ran. The kernel logs no others, but for"
                    + " events that name threads and events that have a field tgid.");

    @Mixin
    private final BufferSizeOption bufferSize = new BufferSizeOption(
            "Memory for each CPU's events until they are printed or saved, 64K to 256M. Default: 256K. A larger size"
                    + " survives longer bursts.",
            MagnetControl.BUFFER_SIZE_DEFAULT);

    @Option(names = "--json", description = "Print one JSON object per line, for each event or each notice.")
    private boolean json;

    @Option(names = "--raw", description = RAW)
    private boolean raw;

    @Option(
            names = {"-v", "--verbose"},
            description =
                    "Print the bytes of packets, in hex, and behind owner= whose process it is: its job, else the path"
                            + " of its cgroup. For the owners the command also logs cgroup_mkdir, cgroup_rmdir and task_attach"
                            + " into its buffer.")
    private boolean verbose;

    /** Complains about values that cannot be. */
    void check(CommandLine commandLine) {
        count.check(commandLine);
        pid.check(commandLine);
        bufferSize.check(commandLine);
        if (sample != null && (sample <= 0 || sample > Integer.MAX_VALUE)) {
            throw new ParameterException(commandLine, "--sample N must be at least 1, at most " + Integer.MAX_VALUE);
        }
        if (snap != null && snap.bytes() > Selection.SNAP_BYTES_MOST) {
            throw new ParameterException(commandLine, "--snap BYTES must be at most " + Selection.SNAP_BYTES_MOST);
        }
    }

    /** Whether there is anything that only events of points can have. */
    boolean areOfPoints() {
        return !filters.isEmpty()
                || notSelf
                || sample != null
                || snap != null
                || counters != null
                || pid.isGiven()
                || bufferSize.isGiven()
                || raw
                || verbose;
    }

    /** Whether there is anything that only printed events can have. */
    boolean arePrinted() {
        return pid.isGiven() || json || raw || verbose;
    }

    /**
     * What is asked of the kernel of a point.
     *
     * @param point its name
     * @param event what its events look like; null if nobody knows
     * @param named whether the user named it; if not, {@code --snap} is for those points that have packets
     * @param words puts numbers in the place of words in the rules
     * @throws IOException if a rule has a word that its field has not
     */
    Selection selection(String point, @Nullable EventFormat event, boolean named, RuleWords words) throws IOException {
        List<String> all = rules(event);
        rules.check(point, event);
        Selection selection = all.isEmpty()
                ? Selection.NONE
                : Selection.NONE.withRules(words.numbered(point, String.join("; ", all)));
        if (sample != null) {
            selection = selection.withSampleCount(sample);
        }
        if (snap != null && (named || hasPackets(point))) {
            selection = selection.withSnapBytes(snap.bytes());
        }
        return counters == null ? selection : selection.withCounters(counters.counters());
    }

    /** What knows the words of the rules that the user gives. */
    RuleWords ruleWords(World world, MagnetControl control) throws IOException {
        return Formats.ruleWords(world, control, rules.rules());
    }

    /** The first that matches decides: what keeps other processes out comes first. Events that name threads all count. */
    private List<String> rules(@Nullable EventFormat event) {
        List<String> all = new ArrayList<>();
        if (pid.isGiven() && event != null && !NamingEvent.isOne(event.id()) && !TraceOwners.isOne(event.id())) {
            all.addAll(new ProcessChoice(pid.process().orElseThrow(), ProcessChoice.NOBODY).rules(event));
        }
        if (notSelf) {
            all.add("drop if tgid == " + ProcessHandle.current().pid());
        }
        all.addAll(rules.rules());
        return all;
    }

    /** Looks at the rules, and for the jobs that they ask for; to be called once, before {@link #selection}. */
    void resolveRules(World world) throws IOException {
        rules = JobRules.of(filters, world);
    }

    /** Whether events of this process are left out. */
    boolean notSelf() {
        return notSelf;
    }

    private static boolean hasPackets(String point) {
        return Arrays.stream(EventType.values()).anyMatch(type -> type.label().equals(point) && type.isOfPacket());
    }

    long count() {
        return count.most();
    }

    /** Seconds after which to end; infinite if it does not matter. */
    double seconds() {
        return duration.seconds();
    }

    /** The process whose events are wanted; empty for all. */
    OptionalInt pid() {
        return pid.process();
    }

    /** Bytes of the buffer, for each CPU. */
    long bufferBytes() {
        return bufferSize.bytes();
    }

    boolean json() {
        return json;
    }

    boolean raw() {
        return raw;
    }

    boolean verbose() {
        return verbose;
    }
}
