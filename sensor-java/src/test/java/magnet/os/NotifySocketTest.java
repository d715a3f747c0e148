// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class NotifySocketTest {
    @TempDir
    private Path folder;

    @Test
    void shouldBeHeardWhenTheSocketIsAFile() throws Exception {
        String where = folder.resolve("notify").toString();
        try (NotifyListener listener = new NotifyListener(where);
                NotifySocket socket = NotifySocket.open(where)) {
            socket.send("READY=1\nSTATUS=größer");
            assertThat(listener.receive(30_000)).contains("READY=1\nSTATUS=größer");
        }
    }

    @Test
    void shouldBeHeardWhenTheSocketIsAbstract() throws Exception {
        String where = "@magnet-test-" + ProcessHandle.current().pid();
        try (NotifyListener listener = new NotifyListener(where);
                NotifySocket socket = NotifySocket.open(where)) {
            socket.send("WATCHDOG=1");
            socket.send("STOPPING=1");
            assertThat(listener.receive(30_000)).contains("WATCHDOG=1");
            assertThat(listener.receive(30_000)).contains("STOPPING=1");
        }
    }

    @Test
    void shouldSayThatNobodyListens() throws Exception {
        String where = folder.resolve("notify").toString();
        try (NotifySocket socket = NotifySocket.open(where)) {
            assertThatExceptionOfType(OsException.class)
                    .isThrownBy(() -> socket.send("READY=1"))
                    .withMessage("notify " + where + ": No such file or directory (ENOENT)");
            new NotifyListener(where).close();
            assertThatExceptionOfType(OsException.class)
                    .isThrownBy(() -> socket.send("READY=1"))
                    .withMessageContaining("ECONNREFUSED");
        }
    }

    @Test
    void shouldNotWaitWhenTheListenerDoesNotKeepUp() throws Exception {
        String where = folder.resolve("notify").toString();
        try (NotifyListener listener = new NotifyListener(where);
                NotifySocket socket = NotifySocket.open(where)) {
            assertThatExceptionOfType(OsException.class)
                    .isThrownBy(() -> {
                        for (int i = 0; i < 1_000_000; i++) {
                            socket.send("WATCHDOG=1");
                        }
                    })
                    .matches(e -> e.errno() == Errno.EAGAIN);
            assertThat(listener.receive(30_000)).contains("WATCHDOG=1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"relative/path", "vsock:2:1234", ""})
    void shouldRefuseWhatIsNoUnixSocket(String where) {
        assertThatExceptionOfType(OsException.class)
                .isThrownBy(() -> NotifySocket.open(where))
                .withMessageContaining("EAFNOSUPPORT");
    }

    @Test
    void shouldRefuseAPathThatNoAddressHasRoomFor() throws Exception {
        NotifySocket.open("/" + "x".repeat(106)).close();
        assertThatExceptionOfType(OsException.class)
                .isThrownBy(() -> NotifySocket.open("/" + "x".repeat(107)))
                .withMessageContaining("EINVAL");
    }
}
