// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoopbackAddressTest {
    @ParameterizedTest
    @CsvSource({"127.0.0.1:9464,127.0.0.1,9464", "127.255.249.199:1,127.255.249.199,1", "[::1]:65535,::1,65535"})
    void shouldTakeWhatOnlyThisMachineReaches(String text, String host, int port) {
        assertThat(LoopbackAddress.parse(text))
                .hasValueSatisfying(address ->
                        assertThat(address.getAddress().isLoopbackAddress()).isTrue())
                .contains(new InetSocketAddress(host, port));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":9464",
                "9464",
                "127.0.0.1",
                "127.0.0.1:",
                "127.0.0.1:0",
                "127.0.0.1:65536",
                "127.0.0.1:99999999999",
                "127.0.0.1:-1",
                "127.0.0.256:9464",
                "127.0.0:9464",
                "127.1:9464",
                "127.0.0.01:9464",
                "0.0.0.0:9464",
                "10.0.0.1:9464",
                "128.0.0.1:9464",
                "[::]:9464",
                "::1:9464",
                "[::1]9464",
                "[fe80::1]:9464",
                "[::ffff:127.0.0.1]:9464",
                "localhost:9464",
                "*:9464",
                "127.0.0.1:9464 ",
                "127.0.0.1:\u0661"
            })
    void shouldRefuseAnythingElse(String text) {
        assertThat(LoopbackAddress.parse(text)).isEmpty();
    }
}
