// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ClusterKeyTest {
    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("cluster.key");
    }

    private void write(int bytes, String permissions) throws IOException {
        Files.write(file, new byte[bytes]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-------", "rw-r-----", "r--r-----"})
    void shouldReadASecret(String permissions) throws IOException {
        write(32, permissions);

        ByteBuffer datagram =
                DatagramForm.encode(new Message(Kind.QUERY, Id.NONE, 1, Id.NONE, 0, 0, ""), ClusterKey.read(file));

        assertThat(new ClusterKey(new byte[32]).isSigned(datagram, datagram.limit() - ClusterKey.MAC_SIZE))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r--r--", "rw-rw----", "rw----r--", "rw-----w-"})
    void shouldRefuseWhatOthersMayReadOrChange(String permissions) throws IOException {
        write(32, permissions);

        assertThatThrownBy(() -> ClusterKey.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("others may read or change it");
    }

    @Test
    void shouldRefuseOneThatIsTooShort() throws IOException {
        write(31, "rw-------");

        assertThatThrownBy(() -> ClusterKey.read(file)).hasMessageContaining("it has 31 bytes");
    }

    @Test
    void shouldRefuseOneThatIsNoKeyAtAll() throws IOException {
        write(4097, "rw-------");

        assertThatThrownBy(() -> ClusterKey.read(file)).hasMessageContaining("at most 4096 bytes");
    }

    @Test
    void shouldSayHowToGetOne() {
        assertThatThrownBy(() -> ClusterKey.read(file))
                .hasMessageContaining("no such file")
                .hasMessageContaining("magnet cluster key");
    }
}
