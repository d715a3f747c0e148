// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Set;
import java.util.SortedSet;
import magnet.config.ConfigException;
import magnet.os.CpuAffinity;
import org.junit.jupiter.api.Test;

class AffinityTest {
    @Test
    void shouldNameCpusThatAreNotOnline() {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> Affinity.check(Set.of(0, 9, 4), "0-3,6"))
                .withMessage("[service] affinity has CPU 4,9, which is not online here; online is 0-3,6");
        assertThatCode(() -> Affinity.check(Set.of(0, 6), "0-3,6")).doesNotThrowAnyException();
        assertThatCode(() -> Affinity.check(Set.of(), "0-3,6")).doesNotThrowAnyException();
    }

    @Test
    void shouldGoBackToWhereItStartedWhenThereIsNoList() throws Exception {
        SortedSet<Integer> before = CpuAffinity.get();
        Affinity affinity = new Affinity();
        affinity.use(Set.of());
        assertThat(CpuAffinity.get()).isEqualTo(before);
        affinity.use(Set.of(before.first()));
        assertThat(CpuAffinity.get()).containsExactly(before.first());
        affinity.use(Set.of());
        assertThat(CpuAffinity.get()).isEqualTo(before);
    }

    @Test
    void shouldRefuseInOneLineWhenItMayNotRunThere() {
        assertThatExceptionOfType(ServiceException.class)
                .isThrownBy(() -> new Affinity().use(Set.of(8_191)))
                .withMessageStartingWith("[service] affinity: this process may not run on CPU 8191: ")
                .matches(e -> e.exitCode() == ExitCode.CONFIGURATION);
    }
}
