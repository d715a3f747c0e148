// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CpuListTest {
    @Test
    void shouldTakeWhatTasksetTakes() {
        assertThat(CpuList.parse("3").orElseThrow()).containsExactly(3);
        assertThat(CpuList.parse("0,2-3").orElseThrow()).containsExactly(0, 2, 3);
        assertThat(CpuList.parse("8-14:3, 0 ,8").orElseThrow()).containsExactly(0, 8, 11, 14);
        assertThat(CpuList.parse("8191").orElseThrow()).containsExactly(8191);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",", "0,", "3-2", "-1", "a", "0x3", "1-", "0-4:0", "8192", "0-8192", "99999", "0 2"})
    void shouldRefuseWhatIsNoList(String text) {
        assertThat(CpuList.parse(text)).isEmpty();
    }
}
