// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProcessStatusTest {
    private static final int PID = 70;

    @TempDir
    private Path proc;

    private void add(String folder, String name, char state) throws IOException {
        Files.writeString(
                Files.createDirectories(proc.resolve(folder)).resolve("status"),
                "Name:\t%s\nState:\t%s (what)\nPPid:\t7\nUid:\t1000\t0\t0\t0\n".formatted(name, state));
    }

    private ProcessStatus status() {
        return ProcessStatus.of(proc, PID).orElseThrow();
    }

    @Test
    void shouldGoOnWhenOnlyItsFirstThreadHasEnded() throws IOException {
        add("70", "first", 'Z');
        add("70/task/70", "first", 'Z');
        add("70/task/71", "second", 'S');

        assertThat(status()).isEqualTo(new ProcessStatus(PID, 7, "first", 'S', 1000));
        assertThat(status().hasEnded()).isFalse();

        add("70/task/71", "second", 'T');
        assertThat(status().isStopped()).isTrue();
    }

    @Test
    void shouldHaveEndedWhenAllOfItsThreadsHave() throws IOException {
        add("70", "first", 'Z');
        assertThat(status().hasEnded()).as("nobody may look at its threads").isTrue();
        add("70/task/70", "first", 'Z');
        assertThat(status().hasEnded()).isTrue();
        assertThat(ProcessStatus.of(proc, PID + 1)).isEmpty();
    }
}
