// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CollectedMetricTest {
    @TempDir
    private Path folder;

    @Test
    void shouldBeFoundInEveryGroupOfEveryFile() throws Exception {
        Path more = Files.writeString(folder.resolve("more.conf"), "Collection_Group { metric { NAME = bytes_in } }\n");
        Path conf = Files.writeString(folder.resolve("gmond.conf"), """
                udp_send_channel { host = a port = 1 }
                collection_group {
                  collect_every = 20
                  metric { name = "cpu_user" value_threshold = "1.0" }
                  /* metric { name = "cpu_intr" } */
                  metric {
                    name_match = "multicpu_([a-z]+)([0-9]+)"
                  }
                }
                include ("%s")
                """.formatted(more));
        assertThat(GmondConfig.read(conf).collected())
                .containsExactly(
                        new CollectedMetric("cpu_user", false, conf.toString(), 4),
                        new CollectedMetric("multicpu_([a-z]+)([0-9]+)", true, conf.toString(), 7),
                        new CollectedMetric("bytes_in", false, more.toString(), 1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "cpu_user false cpu_user true",
                "cpu_user false cpu_user_x false",
                "cpu_.* false cpu_user false",
                "cpu_.* true cpu_user true",
                "pkts true pkts_in true",
                "^multicpu true cpu_user false",
                "(unclosed true cpu_user false",
            })
    void shouldCoverWhatGmondWouldTakeItFor(String name, boolean pattern, String metric, boolean covered) {
        assertThat(new CollectedMetric(name, pattern, "gmond.conf", 1).covers(metric))
                .isEqualTo(covered);
    }
}
