// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ErrnoTest {
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
    void shouldBeFoundByItsNumber(Errno errno) {
        assertThat(Errno.of(errno.number())).isSameAs(errno);
        assertThat(Errno.describe(errno.number())).endsWith("(" + errno.name() + ")");
    }

    @Test
    void shouldDescribeANumberThatIsNotListed() {
        assertThat(Errno.of(4711)).isEqualTo(Errno.UNKNOWN);
        assertThat(Errno.describe(4711)).isEqualTo("Unknown error (errno 4711)");
    }

    @Test
    void shouldRefuseToRemoveAModuleThatIsNotLoaded() {
        assertThatThrownBy(() -> KernelModules.remove("no_such_module_here"))
                .isInstanceOf(OsException.class)
                .hasMessageStartingWith("remove module no_such_module_here: ");
    }
}
