// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GmetadAddressTest {
    @ParameterizedTest
    @CsvSource({
        "head, head, 8651, head:8651",
        "head.example:18651, head.example, 18651, head.example:18651",
        "10.0.0.1:1, 10.0.0.1, 1, 10.0.0.1:1",
        "[::1], ::1, 8651, [::1]:8651",
        "[fe80::1%eth0]:65535, fe80::1%eth0, 65535, [fe80::1%eth0]:65535"
    })
    void shouldUnderstandHostsAndPorts(String text, String host, int port, String written) {
        GmetadAddress address = GmetadAddress.parse(text);

        assertThat(address).isEqualTo(new GmetadAddress(host, port)).hasToString(written);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":8651",
                "head:",
                "head:0",
                "head:65536",
                "head:x",
                "::1",
                "[::1",
                "a b:1",
                "head:8651:1",
                "[]:1"
            })
    void shouldRefuseWhatIsNone(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> GmetadAddress.parse(text));
    }
}
