// SPDX-License-Identifier: Apache-2.0
package magnet.cli.record;

import magnet.recorder.SaveFolder;
import magnet.unit.ByteSize;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of commands that save a flight recorder again and again: how many traces stay. */
public final class SaveBounds {
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

    /** Whether any is given. */
    public boolean areGiven() {
        return traces != null || size != null;
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
