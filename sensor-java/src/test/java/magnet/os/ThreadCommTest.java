// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ThreadCommTest {
    @TempDir
    private Path proc;

    private void thread(int id, String content) throws IOException {
        Path folder = Files.createDirectories(proc.resolve("" + id));
        Files.write(folder.resolve("comm"), content.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** A thread may call itself anything. */
    @ParameterizedTest
    @ValueSource(strings = {"sshd", " blanks ", "line\nfeed", "feed\n", "\u00ff\u00fe", "\t", ""})
    void shouldTellTheNameByteByByte(String name) throws IOException {
        thread(7, name + "\n");
        assertThat(ThreadComm.of(proc, 7)).isEqualTo(name);
    }

    @Test
    void shouldTellNothingOfAThreadThatIsGone() throws IOException {
        assertThat(ThreadComm.of(proc, 7)).isEmpty();
        thread(7, "");
        assertThat(ThreadComm.of(proc, 7)).isEmpty();
    }
}
