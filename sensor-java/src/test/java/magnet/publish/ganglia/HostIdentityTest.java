// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostIdentityTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "|this|false",
                "override_hostname = other|other:other|true",
                "override_hostname = other override_ip = 10.0.0.7|10.0.0.7:other|true",
                "override_ip = 10.0.0.7|this|false"
            })
    void shouldEqualGmetricsWhenOverridden(String globals, String host, boolean spoof) throws GmondConfigException {
        GmondConfig config = GmondConfigTest.parse(
                "globals { " + (globals == null ? "" : globals) + " } udp_send_channel { host = 127.0.0.1 port = 1 }");
        assertThat(HostIdentity.of(config, "this")).isEqualTo(new HostIdentity(host, spoof));
    }

    @Test
    void shouldBeTheKernelsNameWhenNotOverridden() throws IOException {
        assertThat(HostIdentity.machine())
                .isEqualTo(new HostIdentity(
                        Files.readString(Path.of("/proc/sys/kernel/hostname")).strip(), false));
    }
}
