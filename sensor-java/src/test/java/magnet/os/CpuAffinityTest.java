// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CpuAffinityTest {
    private final SortedSet<Integer> before;

    CpuAffinityTest() throws OsException {
        before = CpuAffinity.get();
    }

    @AfterEach
    void tearDown() throws OsException {
        CpuAffinity.set(before);
    }

    @Test
    void shouldKeepAllThreadsOnOneCpu() throws IOException {
        int last = before.last();
        CpuAffinity.set(Set.of(last));
        assertThat(CpuAffinity.get()).containsExactly(last);
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            assertThat(threads.toList())
                    .hasSizeGreaterThan(5)
                    .allSatisfy(thread -> assertThat(Files.readString(thread.resolve("status")))
                            .contains("Cpus_allowed_list:\t" + last + "\n"));
        }
    }

    @Test
    void shouldRefuseWhenNoneOfTheCpusIsThere() {
        assertThatExceptionOfType(OsException.class)
                .isThrownBy(() -> CpuAffinity.set(Set.of(CpuAffinity.MOST_CPUS - 1)))
                .withMessageContaining("EINVAL");
    }
}
