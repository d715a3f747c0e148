// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.nio.file.Path;
import magnet.control.MagnetControl;
import magnet.trace.Rotation;
import magnet.unit.ByteSize;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of {@code magnet read} about a trace that is saved. */
public final class TraceOptions {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FOLDER",
            description = "Save a trace in the Common Trace Format, CTF 1.8, in FOLDER, and print no events: \"magnet"
                    + " report\", babeltrace2 and Trace Compass read it. FOLDER is made, or is empty.")
    private @Nullable Path folder;

    @Option(
            names = "--buffer-size",
            paramLabel = "BYTES",
            description =
                    "With -o: memory for each CPU's events until they are saved, 64K to 256M (default 256K). More of"
                            + " it outlasts longer bursts.")
    private @Nullable ByteSize bufferSize;

    @Option(
            names = "--rotate-size",
            paramLabel = "BYTES",
            description = "With -o: go on in a further part, FOLDER/000001 and so on, when one has so many bytes.")
    private @Nullable ByteSize rotateSize;

    @Option(
            names = "--rotate-every",
            paramLabel = "TIME",
            description = "With -o: go on in a further part after such a time: 90s, 15m, 2h, 1d.")
    private @Nullable TimeSpan rotateEvery;

    @Option(
            names = "--keep",
            paramLabel = "PARTS",
            description = "With --rotate-size or --rotate-every: keep so many parts, and remove older ones.")
    private @Nullable Integer keep;

    @Option(
            names = "--min-free",
            paramLabel = "BYTES",
            description = "With -o: leave so much of the file system free. Old parts are removed for it; when there is"
                    + " none, the reading ends.")
    private @Nullable ByteSize minFree;

    /** Where the trace goes; null when none is wanted. */
    @Nullable
    Path folder() {
        return folder;
    }

    /** Complains about what cannot be together. */
    void check(CommandLine commandLine, EventOptions events) {
        boolean rotates = rotateSize != null || rotateEvery != null;
        if (folder == null && (rotates || keep != null || minFree != null || bufferSize != null)) {
            throw new ParameterException(
                    commandLine, "--buffer-size, --rotate-size, --rotate-every, --keep and --min-free need -o FOLDER");
        }
        if (folder != null && events.arePrinted()) {
            throw new ParameterException(
                    commandLine,
                    "-o prints no events, so it does not go with --json, -v and --tgid; a rule chooses a"
                            + " process: --filter 'drop if tgid != 4711'");
        }
        if (keep != null && (!rotates || keep < 1)) {
            throw new ParameterException(
                    commandLine, "--keep wants at least 1, and needs --rotate-size or --rotate-every");
        }
        if (rotateSize != null && rotateSize.bytes() == 0) {
            throw new ParameterException(commandLine, "--rotate-size must be more than 0");
        }
    }

    /** Bytes of the buffer, for each CPU. */
    long bufferBytes() {
        return bufferSize == null ? MagnetControl.BUFFER_SIZE_DEFAULT : bufferSize.bytes();
    }

    Rotation rotation() {
        return new Rotation(
                rotateSize == null ? null : rotateSize.bytes(),
                rotateEvery == null ? null : rotateEvery.duration(),
                keep == null ? 0 : keep,
                minFree == null ? 0 : minFree.bytes());
    }
}
