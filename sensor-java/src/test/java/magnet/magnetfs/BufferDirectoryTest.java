// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BufferDirectoryTest {
    @TempDir
    private Path folder;

    private Path devices;
    private Path debugfs;

    @BeforeEach
    void makeRoots() throws IOException {
        devices = Files.createDirectory(folder.resolve("dev"));
        debugfs = Files.createDirectory(folder.resolve("debugfs"));
    }

    @Test
    void shouldPreferTheCharacterNodes() throws IOException {
        Files.createDirectory(debugfs.resolve("main"));
        assertThat(BufferDirectory.find("main", List.of(devices, debugfs)).path())
                .isEqualTo(debugfs.resolve("main"));
        Files.createDirectory(devices.resolve("main"));
        assertThat(BufferDirectory.find("main", List.of(devices, debugfs)).path())
                .isEqualTo(devices.resolve("main"));
    }

    @Test
    void shouldSayWhereItLooked() {
        assertThatThrownBy(() -> BufferDirectory.find("main", List.of(devices, debugfs)))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("main")
                .hasMessageContaining(devices.toString())
                .hasMessageContaining(debugfs.toString());
    }

    @Test
    void shouldListTheCpusInTheirOrder() throws IOException {
        for (String name : List.of("cpu10", "cpu2", "cpu0", "merged", "cpu", "cpux", "cpu1.raw")) {
            Files.createFile(devices.resolve(name));
        }
        BufferDirectory directory = new BufferDirectory(devices);
        assertThat(directory.cpus()).containsExactly(0, 2, 10);
        assertThat(directory.cpuFile(10)).isEqualTo(devices.resolve("cpu10"));
    }

    @Test
    void shouldHaveNoCpusWhenTheBufferIsGone() throws IOException {
        assertThat(new BufferDirectory(folder.resolve("gone")).cpus()).isEmpty();
    }
}
