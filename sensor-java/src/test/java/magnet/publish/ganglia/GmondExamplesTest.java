// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples that are shipped for gmond are understood here, too. */
class GmondExamplesTest {
    private static final Path EXAMPLES = Path.of("..", "gmond-conf", "examples");

    @TempDir
    private Path folder;

    @Test
    void shouldSendToBothCollectorsWhenANodeHasTheUnicastExample() throws Exception {
        GmondConfig config = GmondConfig.read(EXAMPLES.resolve("unicast-node.conf"));
        assertThat(config.channels())
                .extracting(SendChannel::toString)
                .containsExactly("collector1.example.org:8649", "collector2.example.org:8649");
        assertThat(config.sendMetadataIntervalSeconds()).isEqualTo(30);
        assertThat(config.deaf()).isTrue();
    }

    @Test
    void shouldSendToItselfByAddressWhenACollectorHasTheUnicastExample() throws Exception {
        GmondConfig config = GmondConfig.read(EXAMPLES.resolve("unicast-collector.conf"));
        assertThat(config.channels()).extracting(SendChannel::toString).containsExactly("collector1.example.org:8649");
        assertThat(config.deaf()).isFalse();
    }

    @Test
    void shouldAddNoSendChannelWhenTheLoopbackExampleIsIncluded() throws Exception {
        assertThat(included("loopback.conf").channels())
                .extracting(SendChannel::host)
                .containsExactly("there");
    }

    private GmondConfig included(String example) throws IOException, GmondConfigException {
        Path conf = Files.writeString(
                folder.resolve("gmond.conf"),
                "udp_send_channel { host = there port = 1 }\ninclude ('%s')\n"
                        .formatted(EXAMPLES.resolve(example).toAbsolutePath().normalize()));
        return GmondConfig.read(conf);
    }
}
