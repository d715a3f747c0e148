// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import magnet.publish.LogLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SetupTest {
    private static final String CHANNEL = "udp_send_channel { host = a port = 1 }\n";

    @TempDir
    private Path folder;

    @Test
    void shouldWarnWhenTheWindowIsTooShortForGmetad() throws Exception {
        assertThat(warnings("[publish]\ninterval = 10s\nwindow = 20s\n", CHANNEL))
                .containsExactly("WARN a window of 20 s is shorter than gmetad's 15 s between two polls and an interval"
                        + " of 10 s: spikes may fall between two polls");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1s", "5s", "20s"})
    void shouldNotWarnWhenTheWindowFollowsTheInterval(String interval) throws Exception {
        assertThat(warnings("[publish]\ninterval = " + interval + "\n", CHANNEL))
                .isEmpty();
    }

    @Test
    void shouldWarnWhenGmondIsMute() throws Exception {
        assertThat(warnings("", CHANNEL + "globals { mute = yes }"))
                .containsExactly("WARN " + folder
                        + "/gmond.conf has mute = yes, which is for gmond itself: metrics are sent all the same");
    }

    private List<String> warnings(String magnet, String gmond) throws Exception {
        Path conf = folder.resolve("magnet.conf");
        Files.writeString(conf, magnet + "[ganglia]\ngmond-conf = " + folder + "/gmond.conf\n");
        Files.writeString(folder.resolve("gmond.conf"), gmond);
        Setup setup = new SetupFiles(Optional.of(conf), conf).read();
        try (LogLines log = new LogLines(Setup.class)) {
            setup.warn();
            return log.lines();
        }
    }
}
