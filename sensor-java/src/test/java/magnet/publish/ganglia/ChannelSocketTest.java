// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Optional;
import magnet.testing.WithoutIpv6;
import org.junit.jupiter.api.Test;

final class ChannelSocketTest {
    /** In a JVM without IPv6. */
    static final class Opening {
        private Opening() {}

        public static void main(String[] hosts) {
            for (String host : hosts) {
                try {
                    ChannelSocket.open(TestChannels.unicast(host, 9), "").close();
                    System.out.println(host + " is open");
                } catch (IOException e) {
                    System.out.println(e.getMessage());
                }
            }
        }
    }

    @Test
    void shouldSayThatTheMachineHasNoIpv6() throws Exception {
        assertThat(WithoutIpv6.run(Opening.class, "::1", "127.0.0.1").lines())
                .containsExactly(
                        "this machine has no IPv6, and 0:0:0:0:0:0:0:1 has no IPv4 address", "127.0.0.1 is open");
    }

    @Test
    void shouldSayThatOneAddressIsOfTheOtherKind() {
        SendChannel channel = new SendChannel("127.0.0.1", 9, false, Optional.empty(), 1, Optional.of("::1"), false);
        assertThatThrownBy(() -> ChannelSocket.open(channel, ""))
                .isInstanceOf(IOException.class)
                .hasMessage("of 127.0.0.1 and the address to send from, one is IPv6 and the other is not");
    }
}
