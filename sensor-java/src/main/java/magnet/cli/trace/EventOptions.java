// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import magnet.cli.world.CounterSet;
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
    @Option(
            names = "--filter",
            paramLabel = "RULE",
            description = "A rule that decides in the kernel which events are logged, such as 'drop if id & 1' or"
                    + " 'sample 10 if cpu == 0' (docs/control.md); several are asked in their order, for each point.")
    private List<String> filters = List.of();

    @Option(names = "--sample", paramLabel = "N", description = "Log one event of N, of each point.")
    private @Nullable Long sample;

    @Option(
            names = "--snap",
            paramLabel = "BYTES",
            description = "With each packet, up to so many of its bytes, at most 4000; -v prints them.")
    private @Nullable ByteSize snap;

    @Option(
            names = "--counters",
            paramLabel = "NAMES",
            description = "After each event, counters of its CPU, such as 'instructions,cache_misses': "
                    + CounterSet.WANTED + ".")
    private @Nullable CounterSet counters;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "COUNT",
            description = "End after so many events.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            description = "End after such a time: 10 (seconds), 0.5, 90s, 5m, 1h.")
    private @Nullable TimeSpan duration;

    @Option(names = "--tgid", paramLabel = "PROCESS", description = "Print events of this process only.")
    private @Nullable Integer tgid;

    @Option(names = "--json", description = "Print one JSON object per event.")
    private boolean json;

    @Option(
            names = {"-v", "--verbose"},
            description = "Print the bytes of packets, in hex.")
    private boolean verbose;

    /** Complains about values that cannot be. */
    void check(CommandLine commandLine) {
        if (count <= 0) {
            throw new ParameterException(commandLine, "COUNT must be at least 1");
        }
        if (sample != null && (sample <= 0 || sample > Integer.MAX_VALUE)) {
            throw new ParameterException(commandLine, "N must be at least 1, at most " + Integer.MAX_VALUE);
        }
        if (snap != null && snap.bytes() > Selection.SNAP_BYTES_MOST) {
            throw new ParameterException(commandLine, "--snap BYTES must be at most " + Selection.SNAP_BYTES_MOST);
        }
    }

    /** Whether there is anything that only events of points can have. */
    boolean areOfPoints() {
        return !filters.isEmpty()
                || sample != null
                || snap != null
                || counters != null
                || tgid != null
                || json
                || verbose;
    }

    /** Whether there is anything that only printed events can have. */
    boolean arePrinted() {
        return tgid != null || json || verbose;
    }

    /**
     * What is asked of the kernel of a point.
     *
     * @param named whether the user named it; if not, {@code --snap} is for those points that have packets
     */
    Selection selection(String point, boolean named) {
        Selection selection = Selection.NONE;
        if (!filters.isEmpty()) {
            selection = selection.withRules(String.join("; ", filters));
        }
        if (sample != null) {
            selection = selection.withSampleCount(sample);
        }
        if (snap != null && (named || hasPackets(point))) {
            selection = selection.withSnapBytes(snap.bytes());
        }
        return counters == null ? selection : selection.withCounters(counters.counters());
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

    OptionalInt tgid() {
        return tgid == null ? OptionalInt.empty() : OptionalInt.of(tgid);
    }

    boolean json() {
        return json;
    }

    boolean verbose() {
        return verbose;
    }
}
