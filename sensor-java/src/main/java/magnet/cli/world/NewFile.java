// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that a command writes: one that is not there yet, or is empty. Nobody loses a file that he forgot. Devices and pipes are
 * written as they are. Stateless.
 */
public final class NewFile {
    private NewFile() {}

    /** Refuses a file that has something in it. */
    public static void check(Path file) throws IOException {
        if (Files.isRegularFile(file) && Files.size(file) > 0) {
            throw new Failure(
                    VisibleText.of(file.toString()) + " is there already; name another file, or remove this one");
        }
    }

    /** Opens a file, once it is checked. */
    public static FileChannel open(Path file) throws IOException {
        check(file);
        return Files.exists(file)
                ? FileChannel.open(file, StandardOpenOption.WRITE)
                : FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    }
}
