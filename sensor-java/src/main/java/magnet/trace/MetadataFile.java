// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import magnet.os.FileReason;
import magnet.os.RegularFile;

/** The file that makes a folder a trace. Stateless. */
final class MetadataFile {
    /** What it is called. */
    static final String NAME = "metadata";

    private static final int BYTES_MAX = 4 << 20;

    private MetadataFile() {}

    /** The bytes of a folder's. */
    static byte[] read(Path folder) throws TraceFormatException {
        Path file = folder.resolve(NAME);
        try {
            return RegularFile.read(file, BYTES_MAX);
        } catch (IOException e) {
            throw new TraceFormatException(file + ": " + FileReason.of(e));
        }
    }

    /** Puts one into a folder; who reads it meanwhile has the old one or the new one. */
    static void write(Path folder, byte[] bytes) throws IOException {
        Path file = folder.resolve(NAME);
        Path fresh = folder.resolve(NAME + ".new");
        try {
            Files.write(fresh, bytes);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(fresh);
            throw PacketFile.named(file, e);
        }
    }
}
