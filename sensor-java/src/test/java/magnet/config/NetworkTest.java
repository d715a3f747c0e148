// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NetworkTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8,10.255.0.1,true",
        "10.0.0.0/8,11.0.0.1,false",
        "192.168.4.129/25,192.168.4.200,true",
        "192.168.4.129/25,192.168.4.127,false",
        "127.0.0.1,127.0.0.1,true",
        "127.0.0.1,127.0.0.2,false",
        "0.0.0.0/0,8.8.8.8,true",
        "0.0.0.0/0,::1,false",
        "fe80::/10,febf::1,true",
        "fe80::/10,fec0::1,false",
        "::1/128,::1,true",
        "::/0,127.0.0.1,false",
    })
    void shouldContainWhatBeginsWithItsBits(String network, String address, boolean contained) throws Exception {
        assertThat(Network.parse(network).orElseThrow().contains(InetAddress.getByName(address)))
                .isEqualTo(contained);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "localhost",
                "10.0.0.0/33",
                "10.0.0.0/",
                "10.0.0.0/-1",
                "10.0.0/8",
                "256.0.0.1",
                "::1/129",
                "fe80::1%lo",
                "abc",
                "a.b:",
                "10.0.0.0/8/8",
                ":"
            })
    void shouldRefuseWhatIsNone(String text) {
        assertThat(Network.parse(text)).isEmpty();
    }
}
