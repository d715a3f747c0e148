// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Whatever stands in gmond.conf, it is either understood or refused in one line that names the file. Runs over the
 * inputs in GmondConfigFuzzTestInputs; with JAZZER_FUZZ=1 it makes its own.
 */
class GmondConfigFuzzTest {

    @FuzzTest(maxDuration = "60s")
    void shouldUnderstandOrRefuseWhenTheTextIsAnything(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        try {
            GmondConfig config = GmondConfig.read(
                    "gmond.conf",
                    new MapSource(Map.of("gmond.conf", text, "conf.d/a.conf", "globals { deaf = no }")),
                    name -> null);
            assertThat(config.channels()).isNotEmpty();
            for (SendChannel channel : config.channels()) {
                assertThat(channel.port()).isBetween(1, 65_535);
            }
        } catch (GmondConfigException e) {
            assertThat(e.getMessage()).startsWith("gmond.conf").doesNotStartWith("gmond.conf:0");
        }
    }
}
