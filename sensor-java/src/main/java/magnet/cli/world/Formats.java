// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import magnet.control.MagnetControl;
import magnet.control.PointInfo;
import magnet.machine.SystemCalls;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.WordKind;
import magnet.record.Words;
import magnet.trace.EventFormat;
import magnet.trace.LiveFormats;
import magnet.trace.RuleWords;
import org.jspecify.annotations.Nullable;

/** What the running module's events look like, by its control file or, for who cannot read that, by its answers. Stateless. */
public final class Formats {
    private Formats() {}

    /**
     * Those of a module that runs.
     *
     * @param control is asked also later, by the thread that asks for the formats
     */
    public static LiveFormats of(World world, RecordLayout layout, MagnetControl control) {
        return new LiveFormats(layout, () -> Files.readAllLines(world.format()), () -> names(control));
    }

    /** What numbers in their records mean: as all kernels have it, as the module says of this one, and its system calls. */
    public static Words words(LiveFormats formats, MagnetControl control) throws IOException {
        Words ofKernel = formats.words().with(WordKind.DROP_REASON, control.dropReasons());
        return withSystemCalls(ofKernel, SystemCalls.runningMachine());
    }

    /** Puts numbers in the place of words in these rules; asks nobody if they have no words. */
    public static RuleWords ruleWords(World world, MagnetControl control, List<String> rules) throws IOException {
        boolean asks = rules.stream().anyMatch(RuleWords::mayBeIn);
        return asks
                ? RuleWords.of(words(of(world, control.info().layout(), control), control))
                : RuleWords.ofAnyKernel();
    }

    /**
     * The words of a saved trace, and the system calls of the machine that it is of.
     *
     * @param machine as {@code uname -m} calls it
     */
    public static Words withSystemCalls(Words words, String machine) {
        SystemCalls calls = SystemCalls.of(machine);
        return words.with(WordKind.SYSTEM_CALL, calls.own()).with(WordKind.COMPAT_SYSTEM_CALL, calls.compat());
    }

    /** What an event looks like: as the module says, or as all modules have it; null if nobody knows. */
    public static @Nullable EventFormat event(LiveFormats formats, int id) {
        EventFormat format = formats.event(id);
        EventType type = EventType.ofId(id);
        return format == null && type != null ? EventFormat.of(type) : format;
    }

    private static Map<Integer, String> names(MagnetControl control) throws IOException {
        Map<Integer, String> names = new HashMap<>();
        for (PointInfo point : control.points()) {
            names.put(point.event(), point.name());
        }
        return names;
    }
}
