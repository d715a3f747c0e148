// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ThreadNamesTest {
    private static final long SECOND_NS = 1_000_000_000;

    @TempDir
    private Path proc;

    private void thread(int tid, String name) throws IOException {
        Files.writeString(Files.createDirectories(proc.resolve("" + tid)).resolve("comm"), name + "\n");
    }

    /** Two that are told apart by their higher bits alone. */
    @Test
    void shouldKeepNamesOfTwoThreadsThatShareAPlace() throws IOException {
        thread(7, "first");
        thread(7 + 4_096, "sec ond");
        ThreadNames names = new ThreadNames(proc);
        names.note(7, 1);
        names.note(7 + 4_096, 2);
        thread(7, "other");
        thread(7 + 4_096, "other");

        names.note(7, 3);
        names.note(7 + 4_096, 4);

        assertThat(names.name(7)).as("not asked anew").isEqualTo("first");
        assertThat(names.name(7 + 4_096)).isEqualTo("sec\\x20ond");
    }

    @Test
    void shouldAskAgainAfterASecond() throws IOException {
        thread(7, "first");
        ThreadNames names = new ThreadNames(proc);
        names.note(7, 1);
        thread(7, "second");
        names.note(7, SECOND_NS + 2);

        assertThat(names.name(7)).isEqualTo("second");
    }

    @Test
    void shouldGiveThePlaceThatWasAskedForLongestAgo() throws IOException {
        ThreadNames names = new ThreadNames(proc);
        for (int i = 0; i < 3; i++) {
            thread(7 + i * 4_096, "t" + i);
            names.note(7 + i * 4_096, 1 + i);
        }

        assertThat(names.name(7)).isEmpty();
        assertThat(names.name(7 + 4_096)).isEqualTo("t1");
        assertThat(names.name(7 + 2 * 4_096)).isEqualTo("t2");
        assertThat(names.name(0)).isEqualTo("idle");
    }
}
