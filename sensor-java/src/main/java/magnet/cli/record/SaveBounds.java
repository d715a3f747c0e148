// SPDX-License-Identifier: Apache-2.0
package magnet.cli.record;

import java.time.Duration;
import magnet.recorder.SaveFolder;
import magnet.recorder.SavePause;
import magnet.unit.ByteSize;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of commands that save a flight recorder again and again: how often, and how many traces stay. */
public final class SaveBounds {
    /** Other times of commands are above zero. */
    static final class TimeOrNone implements ITypeConverter<TimeSpan> {
        @Override
        public TimeSpan convert(String text) {
            return TimeSpan.parse(text);
        }
    }

    private static final Duration LONGEST_PAUSE = Duration.ofDays(1);

    @Option(
            names = "--keep-traces",
            paramLabel = "COUNT",
            description = "Keep at most COUNT traces and remove older ones. Default: 10.")
    private @Nullable Integer traces;

    @Option(
            names = "--keep-size",
            paramLabel = "SIZE",
            description = "Keep at most this many bytes of traces and remove older ones. Default: 1G.")
    private @Nullable ByteSize size;

    @Option(
            names = "--pause",
            paramLabel = "TIME",
            converter = TimeOrNone.class,
            description = "The shortest time between two saves; what happens meanwhile is counted and not saved."
                    + " Default: 60s.")
    private @Nullable TimeSpan pause;

    /** Whether any is given. */
    public boolean areGiven() {
        return traces != null || size != null || pause != null;
    }

    /** The shortest time between two saves. */
    public Duration pause(CommandLine commandLine) {
        if (pause == null) {
            return SavePause.DEFAULT;
        }
        if (pause.duration().compareTo(LONGEST_PAUSE) > 0) {
            throw new ParameterException(
                    commandLine, "--pause TIME must be from 0s to " + LONGEST_PAUSE.toSeconds() + "s");
        }
        return pause.duration();
    }

    /**
     * How much there may be.
     *
     * @param free what is to stay free on the file system; null = 1G
     */
    public SaveFolder.Bounds bounds(CommandLine commandLine, @Nullable ByteSize free) {
        if (traces != null && traces < 1) {
            throw new ParameterException(commandLine, "--keep-traces COUNT must be at least 1");
        }
        SaveFolder.Bounds usual = SaveFolder.Bounds.DEFAULT;
        return new SaveFolder.Bounds(
                traces == null ? usual.traces() : traces,
                size == null ? usual.bytes() : size.bytes(),
                free == null ? usual.freeBytes() : free.bytes());
    }
}
