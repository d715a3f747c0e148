// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class GmondConfigTest {
    private static final String CHANNEL = "udp_send_channel { host = 10.1.2.3 port = 8649 }\n";
    private static final SendChannel EXPECTED =
            new SendChannel("10.1.2.3", 8649, false, Optional.empty(), 1, Optional.empty(), false);

    @Test
    void shouldReadEverythingWhenWrittenAsDebianDoes() throws GmondConfigException {
        GmondConfig config = parse("""
                /* This configuration is as close to 2.5.x default behavior as possible
                   The values closely match ./gmond/metric.h definitions in 2.5.x */
                globals {
                  daemonize = yes
                  user = ganglia
                  mute = no
                  deaf = Yes
                  host_dmax = 0 /*secs */
                  send_metadata_interval = 30     # seconds
                }
                cluster {
                  name = "my cluster"
                  latlong = "unspecified"
                }
                udp_send_channel {
                  mcast_join = 239.2.11.71
                  port = 8649
                  ttl = 3
                  mcast_if = eth1
                }
                udp_send_channel { host = collector.example.org // the big one
                  port = 8650 bind_hostname = yes }
                udp_recv_channel {
                  mcast_join = 239.2.11.71
                  acl { default = "deny" access { ip = 127.0.0.1 mask = 32 action = "allow" } }
                }
                modules {
                  module { name = "python_module" path = 'modpython.so' params = "/usr/lib" }
                  module { name = "magnet" language = "Java" param publish.interval { value = "10s" } }
                }
                collection_group {
                  collect_every = 20
                  metric { name = "cpu_user" value_threshold = "1.0" }
                }
                """);
        assertThat(config.channels())
                .containsExactly(
                        new SendChannel("239.2.11.71", 8649, true, Optional.of("eth1"), 3, Optional.empty(), false),
                        new SendChannel(
                                "collector.example.org", 8650, false, Optional.empty(), 1, Optional.empty(), true));
        assertThat(config.sendMetadataIntervalSeconds()).isEqualTo(30);
        assertThat(config.mute()).isFalse();
        assertThat(config.deaf()).isTrue();
        assertThat(config.cluster()).isEqualTo("my cluster");
        assertThat(config.overrideHostname()).isEmpty();
        assertThat(config.module())
                .contains(new SensorModule(
                        true,
                        List.of(new SensorModule.Param("publish.interval", "10s", "gmond.conf", 29)),
                        "gmond.conf",
                        29));
        assertThat(config.fallback()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "udp_send_channel{host=10.1.2.3 port=8649}",
                "UDP_SEND_CHANNEL { Host = \"10.1.2.3\" PORT = \"8649\" }",
                "udp_send_channel\n{\nhost\n=\n'10.1.2.3'\nport = 0x21c9\n}",
                "# udp_send_channel { host = other }\nudp_send_channel { host = 10.1.2.3 port = 8649 }",
                "udp_send_channel { host = 10.1.2.3#c\nport = 8649 // }\n}",
                "udp_send_channel { host = /* no */ 10.1.2.3 port = 1 port = 8649 }",
                "udp_send_channel { host = \"10.1\\x2e2.\\063\" port = 8649 }",
                "udp_send_channel { host = ${COLLECTOR} port = \"86${UNSET:-49}\" }",
                "udp_send_channel { host = 10.1.2.3 port = 8649\r\n}\r\n",
                "udp_send_channel { host = 10.1.2.3 port = \" \t8649\" }",
                "udp_send_channel { host = 10.1.2.3 port = +8649 }",
                "udp_send_channel { host = 10.1.2.3 port = 020711 }",
                "udp_send_channel { host = 10.1.2.3 port = 8649 } /* the last words",
                "udp_send_channel { host = 10.1.2.3 port = 8649 } # the last words",
                "udp_send_channel { host = 10.1.2.3 port = 8649",
                "udp_send_channel { host = 10.1.2.3 port = 8649 } modules { module { name = other",
                "udp_send_channel { host = 10.1.2.3 port = 8649 newer_option = { a, \"b\", c } }",
                "newer_section title { nested { x = 1 } } udp_send_channel { host = 10.1.2.3 port = 8649 bind = \"\" }"
            })
    void shouldFindTheChannelWhenWrittenInAnyWay(String text) throws GmondConfigException {
        assertThat(parse(text).channels()).containsExactly(EXPECTED);
    }

    /** 127.0.0.1 is where the kernel sends what gmetric connects to no address. */
    @Test
    void shouldSendToThisMachineWhenAChannelHasNoHost() throws GmondConfigException {
        GmondConfig config = parse("udp_send_channel { port = 8649 }");
        assertThat(config.channels())
                .containsExactly(
                        new SendChannel("127.0.0.1", 8649, false, Optional.empty(), 1, Optional.empty(), false));
        assertThat(config.complaints()).isEmpty();
    }

    @Test
    void shouldSendToTheOthersWhenAChannelCannotBeUsed() throws GmondConfigException {
        GmondConfig config = parse("udp_send_channel { host = a }\n" + CHANNEL
                + "udp_send_channel { host = b port = 70000 }\n"
                + "udp_send_channel { host = c port = 1 bind = d bind_hostname = on }");
        assertThat(config.channels()).containsExactly(EXPECTED);
        assertThat(config.complaints())
                .containsExactly(
                        "gmond.conf:1: udp_send_channel has no port; nothing is sent by this channel",
                        "gmond.conf:3: port = '70000' is not a number from 1 to 65535; nothing is sent by this channel",
                        "gmond.conf:4: bind and bind_hostname exclude each other in a udp_send_channel; nothing is sent"
                                + " by this channel");
    }

    @ParameterizedTest
    @CsvSource({"256,0", "300,44", "-1,255"})
    void shouldTakeTheTtlAsGmetricDoesWhenItIsOutOfRange(String given, int taken) throws GmondConfigException {
        GmondConfig config = parse("udp_send_channel { mcast_join = 239.2.11.71 port = 1 ttl = " + given + " }");
        assertThat(config.channels())
                .singleElement()
                .extracting(SendChannel::ttl)
                .isEqualTo(taken);
        assertThat(config.complaints())
                .containsExactly("gmond.conf:1: ttl = '" + given + "' is not a number from 0 to 255; it is " + taken
                        + ", as for gmetric");
    }

    @ParameterizedTest
    @CsvSource({"100000,86400,''", "' 7',7,''", "-5,0,-5", "60s,0,60s", "99999999999999999999,0,99999999999999999999"})
    void shouldGoOnWhenTheMetadataIntervalIsOutOfRange(String given, int taken, String complaint)
            throws GmondConfigException {
        GmondConfig config = parse(CHANNEL + "globals { send_metadata_interval = '" + given + "' }");
        assertThat(config.sendMetadataIntervalSeconds()).isEqualTo(taken);
        assertThat(config.complaints())
                .isEqualTo(
                        complaint.isEmpty()
                                ? List.of()
                                : List.of("gmond.conf:2: send_metadata_interval = '" + complaint
                                        + "' is not a number from 0 on; it is as if it were not given"));
    }

    @Test
    void shouldMergeSectionsWhenGlobalsAreGivenTwice() throws GmondConfigException {
        GmondConfig config = parse("globals { override_hostname = a override_ip = 10.0.0.1 }\n" + CHANNEL
                + "globals { override_hostname = b send_metadata_interval = 7 }");
        assertThat(config.overrideHostname()).contains("b");
        assertThat(config.overrideIp()).contains("10.0.0.1");
        assertThat(config.sendMetadataIntervalSeconds()).isEqualTo(7);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "udp_send_channel { host = a port = 1 } globals { mute = maybe }|gmond.conf:1: mute = 'maybe' is neither yes nor no",
                "udp_send_channel { host = '' port = 8649 }|gmond.conf:1: host is empty in a udp_send_channel",
                "udp_send_channel { host = a }|gmond.conf:1: udp_send_channel has no port",
                "udp_send_channel { host = a port = x }|gmond.conf:1: port = 'x' is not a number from 1 to 65535",
                "udp_send_channel { host = a port = 65536 }|gmond.conf:1: port = '65536' is not a number from 1 to 65535",
                "udp_send_channel { host = a port = '1 ' }|gmond.conf:1: port = '1 ' is not a number from 1 to 65535",
                "udp_send_channel { host = a port = '' }|gmond.conf:1: port = '' is not a number from 1 to 65535",
                "udp_send_channel { host = a port = '#1' }|gmond.conf:1: port = '#1' is not a number from 1 to 65535",
                "udp_send_channel { mcast_join = a port = 1 ttl = x }|gmond.conf:1: ttl = 'x' is not a number from 0 to 255",
                "udp_send_channel { host = a port = 1 bind = b bind_hostname = yes }|gmond.conf:1: bind and bind_hostname exclude each other in a udp_send_channel",
                "globals { x =|gmond.conf:1: expected a value for 'x', found end of file",
                "}|gmond.conf:1: closing brace without a section",
                "globals = { a|gmond.conf:1: expected a list for 'globals', found end of file",
                "globals x y|gmond.conf:1: expected = or { after 'globals', found 'x'",
                "globals = }|gmond.conf:1: expected a value for 'globals', found '}'",
                "globals|gmond.conf:1: expected = or { after 'globals', found end of file",
                "= 3|gmond.conf:1: expected a name, found '='",
                "globals { a = \"b }|gmond.conf:1: string does not end",
                "globals { a = 'b }|gmond.conf:1: string does not end",
                "globals { a = \"\\777\" }|gmond.conf:1: bad escape sequence in a string",
                "include ('a'|gmond.conf:1: expected ) in the call of 'include', found end of file",
                "include ('a', 'b')|gmond.conf:1: include takes one file name",
                "include ('missing.conf')|gmond.conf:1: cannot include missing.conf: no such file",
                "exec ('rm')|gmond.conf:1: no function 'exec' here",
                "globals { include ('a') }|gmond.conf:1: no function 'include' here",
                "include ('gmond.conf')|gmond.conf:1: includes nested more than 10 deep",
                "modules { module { name = magnet } }|gmond.conf:1: module magnet needs language = \"Java\", or gmond tries to load it itself",
                "modules { module { name = magnet language = java params = x } }|gmond.conf:1: module magnet takes no params = ..., but sections: param NAME { value = ... }",
                "modules { module { name = magnet language = java param x { } } }|gmond.conf:1: param x has no value",
                "modules { module { name = magnet language = java enabled = 2 } }|gmond.conf:1: enabled = '2' is neither yes nor no",
                "modules { module { name = magnet language = java } module { name = magnet language = java } }|gmond.conf:1: a second module magnet; the first is in gmond.conf:1",
                "globals { override_hostname = '<a>' }|gmond.conf:1: override_hostname has characters that break gmond's XML or gmetad's files; allowed are letters, digits and _.:-",
                "globals { override_hostname = '../a' }|gmond.conf:1: override_hostname has characters that break gmond's XML or gmetad's files; allowed are letters, digits and _.:-",
                "globals { override_hostname = a override_ip = '10.0.0.1 ' }|gmond.conf:1: override_ip has characters that break gmond's XML or gmetad's files; allowed are letters, digits and _.:-",
                "udp_send_channel { port += 8650 }|gmond.conf:1: 'port' is no list: it takes =, not +=",
                "globals { daemonize = yes }|gmond.conf: no udp_send_channel, so there is nowhere to send metrics to",
                "``|gmond.conf: no udp_send_channel, so there is nowhere to send metrics to"
            })
    void shouldSayWhereAndWhatWhenItCannotBeUsed(String text, String message) {
        // Most of these have no channel, but their own fault is said first.
        assertThatThrownBy(() -> parse(
                        text.startsWith("globals { override") || text.startsWith("modules")
                                ? CHANNEL.strip() + text
                                : text))
                .isInstanceOf(GmondConfigException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "modules { module { name = magnet language = Java } }|true",
                "MODULES { Module { NAME = magnet Language = JAVA ENABLED = off } }|false",
                "modules { module { name = other } } modules { module { name = magnet language = Java enabled = TRUE } }|true"
            })
    void shouldFindTheSwitchWhenWrittenInAnyWay(String text, boolean enabled) throws GmondConfigException {
        assertThat(parse(CHANNEL + text).module())
                .hasValueSatisfying(module -> assertThat(module.enabled()).isEqualTo(enabled));
    }

    @Test
    void shouldTakeTheLastValueWhenAParamIsGivenTwice() throws GmondConfigException {
        SensorModule module = parse(CHANNEL + """
                modules { module { name = magnet language = Java
                  param A { value = 1 }
                  param b { value = 2 value = 3 }
                  PARAM a { VALUE = 4 }
                } }""").module().orElseThrow();
        assertThat(module.params())
                .containsExactly(
                        new SensorModule.Param("a", "4", "gmond.conf", 5),
                        new SensorModule.Param("b", "3", "gmond.conf", 4));
    }

    @Test
    void shouldBeAnotherModuleWhenItsNameIsAnother() throws GmondConfigException {
        assertThat(parse(CHANNEL + "modules { module { name = Magnet } module { path = x } }")
                        .module())
                .isEmpty();
    }

    @Test
    void shouldCountLinesWhenThingsSpanSeveral() {
        assertThatThrownBy(() -> parse("/* one\ntwo */\nglobals {\n  a = \"x\ny\"\n  b = 'z\\\nz'\n  # c\n  !\n}\n"))
                .hasMessage("gmond.conf:10: expected = or { after '!', found '}'");
    }

    @Test
    void shouldRefuseWhenSectionsNestTooDeep() {
        assertThatThrownBy(() -> parse("a { ".repeat(5_000)))
                .hasMessage("gmond.conf:1: sections nested more than 100 deep");
    }

    @Test
    void shouldFallBackToGmetricsChannelWhenThereIsNoFile() throws GmondConfigException {
        GmondConfig config = GmondConfig.read("elsewhere.conf", new MapSource(Map.of()), name -> null);
        assertThat(config.fallback()).isTrue();
        assertThat(config.channels())
                .containsExactly(
                        new SendChannel("239.2.11.71", 8649, true, Optional.empty(), 1, Optional.empty(), false));
    }

    @Test
    void shouldReadIncludedFilesWhenAPatternMatchesThem(@TempDir Path folder) throws Exception {
        Files.createDirectory(folder.resolve("conf.d"));
        Files.writeString(folder.resolve("conf.d/b.conf"), CHANNEL);
        Files.writeString(folder.resolve("conf.d/a.conf"), "globals { override_hostname = node7 }");
        Files.writeString(folder.resolve("conf.d/.hidden.conf"), "!");
        Files.writeString(folder.resolve("conf.d/c.conf-sample"), "!");
        Path main = folder.resolve("gmond.conf");
        Files.writeString(
                main, "include ('" + folder + "/conf.d/*.conf')\ninclude (\"" + folder + "/none.d/*.conf\")\n");
        GmondConfig config = GmondConfig.read(main);
        assertThat(config.channels()).containsExactly(EXPECTED);
        assertThat(config.overrideHostname()).contains("node7");
    }

    @Test
    void shouldNameTheIncludedFileWhenItIsMalformed(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("bad.conf"), "\n\nglobals {");
        Path main = folder.resolve("gmond.conf");
        Files.writeString(main, CHANNEL + "include ('" + folder + "/b*.conf')");
        assertThatThrownBy(() -> GmondConfig.read(main))
                .hasMessage(folder + "/bad.conf:3: section globals of line 3 does not end");
    }

    @Test
    void shouldSayWhyWhenTheFileCannotBeRead(@TempDir Path folder) {
        assertThatThrownBy(() -> GmondConfig.read(folder))
                .isInstanceOf(GmondConfigException.class)
                .hasMessage(folder + ": cannot be read: is a directory");
    }

    @Test
    void shouldRefuseWhatNeverEndsOrIsTooLarge(@TempDir Path folder) throws IOException {
        Path main = folder.resolve("gmond.conf");
        Files.writeString(main, CHANNEL + "include ('/dev/zero')");
        assertThatThrownBy(() -> GmondConfig.read(main))
                .hasMessage(main + ":2: cannot include /dev/zero: is no regular file");
        assertThatThrownBy(() -> GmondConfig.read(Path.of("/dev/zero")))
                .hasMessage("/dev/zero: cannot be read: is no regular file");
        Path large = Files.writeString(folder.resolve("large.conf"), "#".repeat((1 << 20) + 1));
        assertThatThrownBy(() -> GmondConfig.read(large)).hasMessage(large + ": cannot be read: larger than 1 MiB");
    }

    @Test
    void shouldRefuseWhenAllFilesTogetherAreTooLarge(@TempDir Path folder) throws Exception {
        Path part = Files.writeString(folder.resolve("part.conf"), "#".repeat(1 << 20));
        Path main = folder.resolve("gmond.conf");
        Files.writeString(main, CHANNEL + ("include ('" + part + "')\n").repeat(15));
        assertThat(GmondConfig.read(main).channels()).containsExactly(EXPECTED);
        Files.writeString(main, CHANNEL + ("include ('" + part + "')\n").repeat(16));
        assertThatThrownBy(() -> GmondConfig.read(main))
                .hasMessage(main + ":17: more than 16 MiB in all files together");
    }

    static String[] patterns() {
        return new String[] {"*.conf", "?.conf", "[ab].conf", "[!c].conf", "[a-c].con[f]", "a.conf", "*"};
    }

    @ParameterizedTest
    @MethodSource("patterns")
    void shouldMatchAsTheShellDoesWhenGivenAPattern(String pattern) {
        assertThat(new FilePattern(pattern).matches("a.conf")).isTrue();
        assertThat(new FilePattern(pattern).matches(".a.conf")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"b*.conf", "?a.conf", "[bc].conf", "[!a].conf", "[z-a].conf", "a.conf?", "A.conf", "["})
    void shouldNotMatchAsTheShellDoesNotWhenGivenAPattern(String pattern) {
        assertThat(new FilePattern(pattern).matches("a.conf")).isFalse();
    }

    static GmondConfig parse(String text) throws GmondConfigException {
        return GmondConfig.read(
                "gmond.conf",
                new MapSource(Map.of("gmond.conf", text)),
                name -> name.equals("COLLECTOR") ? "10.1.2.3" : null);
    }
}
