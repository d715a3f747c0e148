// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Command;

/** The command line; runs of the service itself are in MagnetServiceTest and, with a kernel, in integration-tests. */
class MagnetdTest {
    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void shouldSayWhereItSendsWhenTheConfigurationIsGood() throws IOException {
        Path gmond = write(
                "gmond.conf",
                "udp_send_channel { mcast_join = 239.2.11.71 port = 8649 mcast_if = eth1 }\n"
                        + "udp_send_channel { host = fd00::1 port = 8650 }");
        Path conf = write("magnet.conf", "[ganglia]\ngmond-conf = " + gmond);
        assertThat(execute("--check-config", "--config", conf.toString())).isEqualTo(ExitCode.OK.code());
        assertThat(out)
                .hasToString(conf + ": good\n" + gmond + ": good, sends to\n"
                        + "    239.2.11.71:8649 multicast on eth1\n    [fd00::1]:8650\n");
    }

    @Test
    void shouldSayWhetherItIsSwitchedOnWhenGmondConfHasTheModule() throws IOException {
        String module = "modules { module { name = magnet language = Java enabled = no"
                + " param publish.interval { value = \"%s\" } } }";
        Path gmond = write("gmond.conf", "udp_send_channel { host = a port = 1 }\n" + module.formatted("2s"));
        Path conf = write("magnet.conf", "[ganglia]\ngmond-conf = " + gmond);
        assertThat(execute("--check-config", "-c", conf.toString())).isEqualTo(ExitCode.OK.code());
        assertThat(out.toString())
                .endsWith("    a:1\n" + gmond + ": module magnet is not enabled: nothing is published\n");
        write("gmond.conf", "udp_send_channel { host = a port = 1 }\n" + module.formatted("2 hours"));
        assertThat(execute("--check-config", "-c", conf.toString())).isEqualTo(ExitCode.CONFIGURATION.code());
    }

    @Test
    void shouldSayWhatGmetricDoesWhenThereIsNoGmondConf() throws IOException {
        Path conf = write("magnet.conf", "[ganglia]\ngmond-conf = " + folder + "/none.conf");
        assertThat(execute("--check-config", "--config", conf.toString())).isEqualTo(ExitCode.OK.code());
        assertThat(out.toString())
                .endsWith("none.conf: missing, as gmetric then sends to\n    239.2.11.71:8649 multicast\n");
    }

    @Test
    void shouldRefuseWhenAFileCannotBeUsed() throws IOException {
        Path unknownKey = write("magnet.conf", "[publish]\nintervall = 5s");
        assertThat(execute("--config", unknownKey.toString())).isEqualTo(ExitCode.CONFIGURATION.code());
        assertThat(execute("--config", folder + "/none.conf")).isEqualTo(ExitCode.CONFIGURATION.code());
        Path noChannel = write("gmond.conf", "globals { mute = no }");
        Path conf = write("magnet.conf", "[ganglia]\ngmond-conf = " + noChannel);
        assertThat(execute("--check-config", "-c", conf.toString())).isEqualTo(ExitCode.CONFIGURATION.code());
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void shouldRefuseInOneLineWhenTheCommandLineIsWrong() {
        assertThat(execute("--confg", "x")).isEqualTo(ExitCode.USAGE.code());
        assertThat(execute("--config")).isEqualTo(ExitCode.USAGE.code());
        assertThat(err.toString().lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("magnetd: ") && line.endsWith(" (see: magnetd --help)"))
                .anyMatch(line -> line.contains("'--confg'") && line.contains("did you mean --config?"));
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void shouldNameEveryExitCodeWhenAskedForHelp() {
        assertThat(execute("--help")).isZero();
        List<String> documented =
                Arrays.asList(Magnetd.class.getAnnotation(Command.class).exitCodeList());
        assertThat(documented).hasSameSizeAs(ExitCode.values());
        for (ExitCode code : ExitCode.values()) {
            assertThat(documented).anyMatch(line -> line.startsWith(code.code() + ":"));
        }
        assertThat(out.toString()).contains("--config", "--check-config", "--summary", "Exit codes:");
    }

    @Test
    void shouldSayItsNameWhenAskedForTheVersion() {
        assertThat(execute("--version")).isZero();
        assertThat(out.toString()).startsWith("magnetd ");
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private int execute(String... arguments) {
        return Magnetd.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }
}
