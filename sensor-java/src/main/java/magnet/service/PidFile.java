// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import magnet.os.FileReason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file with the process id, as long as the service runs. It is written once this magnetd has the kernel's buffer, or is
 * switched off, so that one that is refused because another runs leaves the other's alone. For one thread.
 */
final class PidFile {
    private static final Logger LOGGER = LoggerFactory.getLogger(PidFile.class);

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
            Files.writeString(file.get(), content);
        } catch (IOException e) {
            throw new ServiceException(ExitCode.CONFIGURATION, complaint(file.get()) + FileReason.of(e), e);
        }
        written = true;
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
