// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import magnet.testing.Fifo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class RegularFileTest {
    @TempDir
    private Path folder;

    @Test
    void shouldReadUpToTheLimit() throws IOException {
        Path file = Files.write(folder.resolve("file"), new byte[2_048]);
        assertThat(RegularFile.read(file, 2_048)).hasSize(2_048);
        assertThatThrownBy(() -> RegularFile.read(file, 1_024)).hasMessage("larger than 1 KiB");
        assertThatThrownBy(() -> RegularFile.read(file, 2_047)).hasMessage("larger than 2047 bytes");
        assertThatThrownBy(() -> RegularFile.read(folder.resolve("none"), 1)).isInstanceOf(NoSuchFileException.class);
    }

    /** Files of /proc say that they are empty. */
    @Test
    void shouldGoByWhatIsReadAndNotByWhatTheFileSays() throws IOException {
        Path file = Path.of("/proc/self/status");
        assertThat(Files.size(file)).isZero();
        assertThat(RegularFile.read(file, 1 << 20)).isNotEmpty();
        assertThatThrownBy(() -> RegularFile.read(file, 100)).hasMessage("larger than 100 bytes");
    }

    @Test
    void shouldNotOpenWhatMayNeverEndOrBegin() throws IOException {
        assertThatThrownBy(() -> RegularFile.read(Path.of("/dev/zero"), 1)).hasMessage("is no regular file");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("/dev/zero"));
        assertThatThrownBy(() -> RegularFile.read(link, 1)).hasMessage("is no regular file");
        Path pipe = folder.resolve("pipe");
        Fifo.create(pipe).close();
        assertThatThrownBy(() -> RegularFile.read(pipe, 1)).hasMessage("is no regular file");
        assertThatThrownBy(() -> RegularFile.read(folder, 1)).hasMessage("is a directory");
    }
}
