// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.nio.file.Path;
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
            description = "Save a trace in FOLDER, in the Common Trace Format (CTF 1.8), and print no events. \"magnet"
                    + " report\", babeltrace2 and Trace Compass read it. The command makes FOLDER; if FOLDER exists, it"
                    + " must be empty.")
    private @Nullable Path folder;

    @Option(
            names = "--rotate-size",
            paramLabel = "SIZE",
            description = "With -o: start the next part, FOLDER/000001 and so on, when a part has SIZE bytes.")
    private @Nullable ByteSize rotateSize;

    @Option(
            names = "--rotate-every",
            paramLabel = "TIME",
            description = "With -o: start the next part after this time: 90s, 15m, 2h, 1d.")
    private @Nullable TimeSpan rotateEvery;

    @Option(
            names = "--keep",
            paramLabel = "PARTS",
            description = "With --rotate-size or --rotate-every: keep the newest PARTS parts and remove older ones.")
    private @Nullable Integer keep;

    @Option(
            names = "--min-free",
            paramLabel = "SIZE",
            description = "With -o: keep SIZE of the file system free. The command removes old parts for this; when"
                    + " none is left, it ends.")
    private @Nullable ByteSize minFree;

    /** Where the trace goes; null when none is wanted. */
    @Nullable
    Path folder() {
        return folder;
    }

    /** Complains about what cannot be together. */
    void check(CommandLine commandLine, EventOptions events) {
        boolean rotates = rotateSize != null || rotateEvery != null;
        if (folder == null && (rotates || keep != null || minFree != null)) {
            throw new ParameterException(
                    commandLine, "--rotate-size, --rotate-every, --keep and --min-free need -o FOLDER");
        }
        if (folder != null && events.arePrinted()) {
            throw new ParameterException(
                    commandLine,
                    "-o prints no events, so it does not go with --json, --raw, -v and --pid; a rule chooses"
                            + " a process: --filter 'drop if tgid != 4711'");
        }
        if (keep != null && (!rotates || keep < 1)) {
            throw new ParameterException(
                    commandLine, "--keep PARTS must be at least 1, and needs --rotate-size or --rotate-every");
        }
        if (rotateSize != null && rotateSize.bytes() == 0) {
            throw new ParameterException(commandLine, "--rotate-size SIZE must be at least 1");
        }
    }

    Rotation rotation() {
        return new Rotation(
                rotateSize == null ? null : rotateSize.bytes(),
                rotateEvery == null ? null : rotateEvery.duration(),
                keep == null ? 0 : keep,
                minFree == null ? 0 : minFree.bytes());
    }
}
