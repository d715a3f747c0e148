// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.List;
import magnet.control.MagnetControl;
import magnet.unit.ByteSize;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** {@code --buffer-size SIZE}: the memory of each CPU for a command's events. */
public final class BufferSizeOption extends SharedOption<ByteSize> {
    private final long usual;

    /**
     * An option.
     *
     * @param usual bytes where the user gives none
     * @param more names beside its own
     */
    public BufferSizeOption(String description, long usual, String... more) {
        super(ByteSize.class, "SIZE", description, List.of("--buffer-size"), more);
        this.usual = usual;
    }

    /** Complains about a size that the module has no buffers of. */
    public void check(CommandLine command) {
        check(command, bytes());
    }

    /** The same of the value of an option that has this name and is another one. */
    public static void check(CommandLine command, long bytes) {
        if (bytes < MagnetControl.BUFFER_SIZE_LEAST || bytes > MagnetControl.BUFFER_SIZE_MOST) {
            throw new ParameterException(
                    command,
                    "--buffer-size SIZE must be from " + new ByteSize(MagnetControl.BUFFER_SIZE_LEAST) + " to "
                            + new ByteSize(MagnetControl.BUFFER_SIZE_MOST));
        }
    }

    /** Bytes. */
    public long bytes() {
        return given().map(ByteSize::bytes).orElse(usual);
    }
}
