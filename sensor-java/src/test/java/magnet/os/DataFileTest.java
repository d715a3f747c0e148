// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import magnet.testing.Fifo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@SuppressWarnings("try") // closes within the block, too
final class DataFileTest {
    private final NativeBuffer buffer = NativeBuffer.allocate(64);

    @TempDir
    private Path folder;

    @Test
    void shouldReadToTheEnd() throws IOException {
        Path path = Files.write(folder.resolve("file"), new byte[] {1, 2, 3});
        try (DataFile file = DataFile.open(path)) {
            assertThat(file.path()).isEqualTo(path);
            assertThat(file.read(buffer, 8, 56)).isEqualTo(3);
            assertThat(buffer.bytes().get(10)).isEqualTo((byte) 3);
            assertThat(file.read(buffer, 0, 64)).isZero();
        }
    }

    @Test
    void shouldSeekAndTell() throws IOException {
        Path path = Files.write(folder.resolve("file"), new byte[] {1, 2, 3});
        try (DataFile file = DataFile.open(path)) {
            assertThat(file.seek(2)).isEqualTo(2);
            assertThat(file.tell(0)).isEqualTo(2);
            assertThat(file.read(buffer, 0, 64)).isEqualTo(1);
        }
    }

    @Test
    void shouldSayWhenAReadWouldBlock() throws IOException {
        try (Fifo fifo = Fifo.create(folder.resolve("fifo"));
                DataFile file = DataFile.open(fifo.path())) {
            assertThat(file.read(buffer, 0, 64)).isEqualTo(DataFile.WOULD_BLOCK);
            fifo.write(new byte[] {7});
            assertThat(file.read(buffer, 0, 64)).isEqualTo(1);
            fifo.close();
            assertThat(file.read(buffer, 0, 64)).isZero();
        }
    }

    @Test
    void shouldNameErrnoAndFileWhenACallFails() throws IOException {
        Path missing = folder.resolve("missing");
        assertThatThrownBy(() -> DataFile.open(missing))
                .isInstanceOfSatisfying(OsException.class, e -> {
                    assertThat(e.errno()).isEqualTo(Errno.ENOENT);
                    assertThat(e.number()).isEqualTo(2);
                })
                .hasMessage("open " + missing + ": No such file or directory (ENOENT)");
        try (DataFile directory = DataFile.open(folder)) {
            assertThatThrownBy(() -> directory.read(buffer, 0, 64)).hasMessageContaining("EISDIR");
        }
        try (Fifo fifo = Fifo.create(folder.resolve("fifo"));
                DataFile file = DataFile.open(fifo.path())) {
            assertThatThrownBy(() -> file.seek(1)).hasMessageContaining("ESPIPE");
        }
    }

    @Test
    void shouldFailAfterClose() throws IOException {
        DataFile file = DataFile.open(Files.createFile(folder.resolve("file")));
        file.close();
        file.close();
        assertThatThrownBy(() -> file.read(buffer, 0, 64)).hasMessageContaining("EBADF");
    }

    @Test
    void shouldNotLetTheKernelWriteOutsideTheBuffer() throws IOException {
        try (DataFile file = DataFile.open(Path.of("/dev/zero"))) {
            assertThatThrownBy(() -> file.read(buffer, 0, 65)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.read(buffer, -1, 2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.read(buffer, 64, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.read(buffer, 8, Integer.MAX_VALUE))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(file.read(buffer, 64, 0)).isZero();
        }
    }
}
