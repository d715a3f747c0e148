// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SensorVersionTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "1.0, module 1.0; 1.0; 1.0; true; 1.0",
                "1.0-SNAPSHOT, module 1.0; 1.0; 1.0; true; 1.0",
                "1.1, module 1.0; 1.1; 1.0; false; 1.1, module 1.0",
                "(unpackaged), module 1.0; (unpackaged); 1.0; true; (unpackaged)",
                "1.0; 1.0; ''; true; 1.0"
            })
    void shouldTellServiceAndModule(String text, String service, String module, boolean one, String shown) {
        SensorVersion version = SensorVersion.of(text);

        assertThat(version).isEqualTo(new SensorVersion(service, module)).hasToString(shown);
        assertThat(version.isOne()).isEqualTo(one);
    }
}
