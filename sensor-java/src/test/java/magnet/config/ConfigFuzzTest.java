// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import magnet.handler.Declarations;
import magnet.handler.HandlerException;
import magnet.service.SinkKind;
import org.junit.jupiter.api.Test;

/**
 * Whatever stands in magnet.conf, its handlers included, it is either understood or refused in one line that names the file. Runs over the inputs in
 * ConfigFuzzTestInputs; with JAZZER_FUZZ=1 it makes its own.
 */
class ConfigFuzzTest {
    private static final ConfigReader.Extensions EXTENSIONS =
            new ConfigReader.Extensions(OwnMetrics.UNKNOWN, SinkKind.sections());

    @FuzzTest(maxDuration = "60s")
    void shouldUnderstandOrRefuseWhenTheTextIsAnything(byte[] bytes) {
        understandOrRefuse(new String(bytes, StandardCharsets.ISO_8859_1));
    }

    /** The one that is shipped, cut off at each character. */
    @Test
    void shouldUnderstandOrRefuseWhenTheFileIsCutOff() throws Exception {
        String text = Files.readString(Path.of("conf/magnet.conf"));
        for (int length = 0; length <= text.length(); length += 7) {
            understandOrRefuse(text.substring(0, length).replace("\n# ", "\n").replace("\n#", "\n"));
        }
    }

    private static void understandOrRefuse(String text) {
        try {
            MagnetConfig config = ConfigReader.parse("magnet.conf", text, List.of(), EXTENSIONS);
            Declarations.of(config.handlers().sections());
        } catch (ConfigException | HandlerException e) {
            assertThat(e.getMessage()).startsWith("magnet.conf").doesNotStartWith("magnet.conf:0");
            assertThat(e.getMessage().lines()).hasSize(1);
        }
    }
}
