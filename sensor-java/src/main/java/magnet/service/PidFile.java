// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import magnet.os.FileReason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file with the process id, as long as the service runs. It is written once this magnetd has the kernel's buffer, or is
 * switched off, so that one that is refused because another runs leaves the other's alone. For one thread.
 */
final class PidFile {
    private static final Logger LOGGER = LoggerFactory.getLogger(PidFile.class);

    /** Why a file is not written, to follow {@link #complaint}. */
    static final String IS_LINK = "it is a symbolic link, and links are not followed";

    private final Optional<Path> file;

    private final String content = ProcessHandle.current().pid() + "\n";
    private boolean written;

    /** @param file where to; nowhere if empty */
    PidFile(Optional<Path> file) {
        this.file = file;
    }

    /**
     * Writes it, unless it has been.
     *
     * @throws ServiceException if it cannot be written
     */
    void write() throws ServiceException {
        if (written || file.isEmpty()) {
            return;
        }
        try {
            write(file.get());
        } catch (IOException e) {
            throw new ServiceException(ExitCode.CONFIGURATION, complaint(file.get()) + FileReason.of(e), e);
        }
        written = true;
    }

    /** A link at its place is not followed: who made it may be somebody else, and where it leads a file of another's. */
    private void write(Path path) throws IOException {
        Set<OpenOption> options = Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING,
                LinkOption.NOFOLLOW_LINKS);
        ByteBuffer left = ByteBuffer.wrap(content.getBytes(StandardCharsets.US_ASCII));
        try (SeekableByteChannel channel = Files.newByteChannel(path, options)) {
            while (left.hasRemaining()) {
                channel.write(left);
            }
        } catch (IOException e) {
            if (Files.isSymbolicLink(path)) {
                throw new FileSystemException(path.toString(), null, IS_LINK);
            }
            throw e;
        }
    }

    static String complaint(Path file) {
        return "pid-file " + file + ": cannot be written: ";
    }

    /** Removes it, if it was written and no other process has taken it over. */
    void remove() {
        file.filter(each -> written).ifPresent(each -> {
            try {
                if (Files.readString(each).equals(content)) {
                    Files.delete(each);
                }
            } catch (IOException e) {
                LOGGER.debug("cannot remove {}", each, e);
            }
        });
    }
}
