// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Optional;
import magnet.cli.check.Finding;
import magnet.publish.ganglia.SendChannel;
import magnet.testing.WithoutIpv6;
import org.junit.jupiter.api.Test;

final class RouteTest {
    /** In a JVM without IPv6. */
    static final class Finding {
        private Finding() {}

        public static void main(String[] hosts) {
            for (String host : hosts) {
                try {
                    System.out.println(Route.ofMachine(unicast(host)));
                } catch (IOException e) {
                    System.out.println(e.getMessage());
                }
            }
        }
    }

    private static SendChannel unicast(String host) {
        return new SendChannel(host, 9, false, Optional.empty(), 1, Optional.empty(), false);
    }

    @Test
    void shouldFindTheWayToThisMachine() throws IOException {
        assertThat(Route.ofMachine(unicast("127.0.0.1"))).isEqualTo("goes to 127.0.0.1 from 127.0.0.1");
    }

    @Test
    void shouldSayThatTheMachineHasNoIpv6() throws Exception {
        assertThat(WithoutIpv6.run(Finding.class, "::1", "127.0.0.1").lines())
                .containsExactly(
                        "this machine has no IPv6, and 0:0:0:0:0:0:0:1 has no IPv4 address",
                        "goes to 127.0.0.1 from 127.0.0.1");
    }
}
