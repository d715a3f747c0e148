// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import magnet.config.ConfigException;
import magnet.publish.LogLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    void shouldWarnInALineEachOfWhatOfGmondConfCannotBeUsed() throws Exception {
        assertThat(warnings("", CHANNEL + "udp_send_channel { host = b }\nglobals { send_metadata_interval = -1 }"))
                .containsExactly(
                        "WARN " + folder
                                + "/gmond.conf:2: udp_send_channel has no port; nothing is sent by this channel",
                        "WARN " + folder
                                + "/gmond.conf:3: send_metadata_interval = '-1' is not a number from 0 on; it is as"
                                + " if it were not given");
    }

    @Test
    void shouldWarnWhenGmondIsMute() throws Exception {
        assertThat(warnings("", CHANNEL + "globals { mute = yes }"))
                .containsExactly("WARN " + folder
                        + "/gmond.conf has mute = yes, which is for gmond itself: metrics are sent all the same");
    }

    @Test
    void shouldWarnInOneLineWhenGmondStillCollectsWhatIsReplaced() throws Exception {
        String groups = CHANNEL
                + "collection_group {\n metric { name = \"cpu_user\" }\n metric { name = cpu_num }\n}\n"
                + "collection_group { metric { name_match = \"pkts_(in|out)\" } metric { name = \"cpu_wio\" } }\n";
        String file = folder + "/gmond.conf";
        assertThat(warnings("[metrics]\nreplace = cpu, network\n", groups))
                .containsExactly("WARN gmond still collects what replace takes the place of: cpu_user (" + file
                        + ":3), cpu_wio (" + file + ":6), pkts_in (" + file + ":6), pkts_out (" + file
                        + ":6); take it out of the collection groups of " + file + ", or both write the same graphs");
        assertThat(warnings("[metrics]\nreplace = cpu-interrupts\n", groups)).isEmpty();
        assertThat(warnings("", groups)).isEmpty();
    }

    @Test
    void shouldNotWarnOfCollectionWhenGmondSendsNothing() throws Exception {
        assertThat(warnings(
                        "[metrics]\nreplace = cpu\n",
                        CHANNEL + "globals { mute = yes }\ncollection_group { metric { name = cpu_user } }\n"))
                .singleElement()
                .asString()
                .contains("has mute = yes");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "magnet_sends_events_count > 5 or magnet_sends_events_count < 1|",
                "magnet_sizes_len_p99 > 5|",
                "magnet_sends_event_count > 5|there is no metric 'magnet_sends_event_count'; did you mean 'magnet_sends_events_count'?",
                "magnet_rare_events_rate > 5|magnet_rare_events_rate is not a number that is published at this level by these groups",
            })
    void shouldTakeConditionsOnMetricsOfDeclaredHandlers(String condition, String complaint) throws Exception {
        String handlers = """
                [handler sends]
                kind = count
                point = udp_sendmsg
                [handler sizes]
                kind = distribution
                point = udp_sendmsg
                field = len
                [handler rare]
                kind = rate
                point = udp_sendmsg
                level = full
                """;
        Path conf = Files.writeString(
                folder.resolve("magnet.conf"),
                "[ganglia]\ngmond-conf = " + folder + "/none.conf\n[metrics]\nraise-when = " + condition + "\n"
                        + handlers);
        SetupFiles files = new SetupFiles(Optional.of(conf), conf);
        if (complaint == null) {
            assertThat(files.read().magnet().metrics().raiseWhen()).isNotEmpty();
        } else {
            assertThatThrownBy(files::read)
                    .isInstanceOf(ConfigException.class)
                    .hasMessage(conf + ":4: [metrics] raise-when: " + complaint);
        }
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
