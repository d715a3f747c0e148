// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import magnet.cli.world.CounterSet;
import magnet.cli.world.ReadOn;
import magnet.control.MagnetControl;
import magnet.control.Selection;
import magnet.record.EventType;
import magnet.unit.ByteSize;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
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

    @Option(
            names = {"-n", "--count"},
            paramLabel = "COUNT",
            description = "End after COUNT events.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            description = "End after this time: 10 (seconds), 0.5, 90s, 5m, 1h.")
    private @Nullable TimeSpan duration;

    @Option(names = "--pid", paramLabel = "PID", description = "Print events of this process only.")
    private @Nullable Integer pid;

    @Option(
            names = "--buffer-size",
            paramLabel = "SIZE",
            description = "Memory for each CPU's events until they are printed or saved, 64K to 256M. Default: 256K. A"
                    + " larger size survives longer bursts.")
    private @Nullable ByteSize bufferSize;

    @Option(names = "--json", description = "Print one JSON object per line, for each event or each notice.")
    private boolean json;

    @Option(names = "--raw", description = RAW)
    private boolean raw;

    @Option(
            names = {"-v", "--verbose"},
            description = "Print the bytes of packets, in hex.")
    private boolean verbose;

    /** Complains about values that cannot be. */
    void check(CommandLine commandLine) {
        if (count <= 0) {
            throw new ParameterException(commandLine, "--count COUNT must be at least 1");
        }
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
                || pid != null
                || bufferSize != null
                || raw
                || verbose;
    }

    /** Whether there is anything that only printed events can have. */
    boolean arePrinted() {
        return pid != null || json || raw || verbose;
    }

    /**
     * What is asked of the kernel of a point.
     *
     * @param named whether the user named it; if not, {@code --snap} is for those points that have packets
     */
    Selection selection(String point, boolean named) {
        Selection selection = rules().isEmpty() ? Selection.NONE : Selection.NONE.withRules(String.join("; ", rules()));
        if (sample != null) {
            selection = selection.withSampleCount(sample);
        }
        if (snap != null && (named || hasPackets(point))) {
            selection = selection.withSnapBytes(snap.bytes());
        }
        return counters == null ? selection : selection.withCounters(counters.counters());
    }

    /** The first that matches decides: what keeps this process out comes first. */
    private List<String> rules() {
        List<String> rules = new ArrayList<>();
        if (notSelf) {
            rules.add("drop if tgid == " + ProcessHandle.current().pid());
        }
        rules.addAll(filters);
        return rules;
    }

    /** Whether events of this process are left out. */
    boolean notSelf() {
        return notSelf;
    }

    private static boolean hasPackets(String point) {
        return Arrays.stream(EventType.values())
                .anyMatch(type -> type.label().equals(point) && Trailer.isOfPacket(type));
    }

    long count() {
        return count;
    }

    /** Seconds after which to end; infinite if it does not matter. */
    double seconds() {
        return duration == null ? Double.POSITIVE_INFINITY : duration.seconds();
    }

    /** The process whose events are wanted; empty for all. */
    OptionalInt pid() {
        return pid == null ? OptionalInt.empty() : OptionalInt.of(pid);
    }

    /** Bytes of the buffer, for each CPU. */
    long bufferBytes() {
        return bufferSize == null ? MagnetControl.BUFFER_SIZE_DEFAULT : bufferSize.bytes();
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
