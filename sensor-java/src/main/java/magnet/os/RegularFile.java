// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Reads files that somebody else names: a device or a pipe, which may never end or never begin, is refused before it is
 * opened, and no more is read than there should be, whatever the file's size says. Stateless.
 */
public final class RegularFile {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    private RegularFile() {}

    /**
     * All bytes of a file.
     *
     * @param most bytes that it may have
     * @throws java.nio.file.FileSystemException as of {@link Files}, if it cannot be read
     * @throws IOException with nothing but the reason as its message, if it is no regular file or has more bytes
     */
    public static byte[] read(Path file, int most) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (attributes.isDirectory()) {
            throw new IOException("is a directory");
        }
        if (!attributes.isRegularFile()) {
            throw new IOException("is no regular file");
        }
        if (attributes.size() > most) {
            throw tooLarge(most);
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(most);
            if (bytes.length == most && in.read() >= 0) {
                throw tooLarge(most);
            }
            return bytes;
        }
    }

    private static IOException tooLarge(int most) {
        String size = most % MIB == 0 ? most / MIB + " MiB" : most % KIB == 0 ? most / KIB + " KiB" : most + " bytes";
        return new IOException("larger than " + size);
    }
}
