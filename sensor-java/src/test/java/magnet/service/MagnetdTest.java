// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import magnet.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line; runs of the service itself are in MagnetServiceTest and, with a kernel, in integration-tests. */
class MagnetdTest {
    /** That of -XX:+ExitOnOutOfMemoryError. */
    private static final int OUT_OF_MEMORY = 3;

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
        Path conf = write("magnet.conf", "[publish]\nopenmetrics = [::1]:9464\n[ganglia]\ngmond-conf = " + gmond);
        assertThat(execute("--check-config", "--config", conf.toString())).isEqualTo(ExitCode.OK.code());
        assertThat(out)
                .hasToString(conf + ": good, shows what it publishes at http://[::1]:9464/metrics\n" + gmond
                        + ": good, sends to\n" + "    239.2.11.71:8649 multicast on eth1\n    [fd00::1]:8650\n");
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
    void shouldSayThatWhatIsBuiltInCountsWhenThereIsNoMagnetConf() throws Exception {
        SetupFiles files = new SetupFiles(Optional.empty(), folder.resolve("none.conf"));
        assertThat(CheckedSetup.text(files, files.read()))
                .startsWith(folder + "/none.conf: missing, so that what is built in counts\n");
    }

    @Test
    void shouldRefuseAHandlerWhoseFilterNoJarHas() throws Exception {
        String handler = "[handler x]\nkind = count\npoint = marker\n";
        Path conf = write("magnet.conf", "[ganglia]\ngmond-conf = " + folder + "/none.conf\n" + handler);
        assertThat(execute("--check-config", "-c", conf.toString())).isEqualTo(ExitCode.OK.code());
        out.getBuffer().setLength(0);
        Files.writeString(conf, "filter = nosuch\n", StandardOpenOption.APPEND);
        assertThat(execute("--check-config", "-c", conf.toString())).isEqualTo(ExitCode.CONFIGURATION.code());
        assertThat(out.toString()).isEmpty();
        SetupFiles files = new SetupFiles(Optional.of(conf), conf);
        assertThat(CheckedSetup.complaints(files.read().magnet().handlers()))
                .containsExactly(conf + ":6: [handler x] filter: no jar of handler-directory, nor the class path, has a"
                        + " filter 'nosuch'");
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
    void shouldRefuseAFolderForTracesThatCannotBeMade() throws Exception {
        Files.createFile(folder.resolve("file"));
        Path conf = write(
                "magnet.conf",
                "[ganglia]\ngmond-conf = %1$s/none.conf\n[record]\nrecorder = box\nsave-when = urgent\ndirectory = %1$s/file/x\n"
                        .formatted(folder));
        assertThatThrownBy(() -> new SetupFiles(Optional.of(conf), conf).read())
                .isInstanceOf(ConfigException.class)
                .hasMessage("[record] directory = " + folder + "/file/x: cannot be written: " + folder
                        + "/file is no folder");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "pid-file = /none/pid|pid-file /none/pid: cannot be written: no such folder; make /none, or name another file",
                "pid-file = /file/pid|pid-file /file/pid: cannot be written: /file is no folder",
                "pid-file = /folder|pid-file /folder: cannot be written: it is a folder",
                "tee-directory = /file/tee|tee-directory /file/tee: cannot be written: /file is no folder",
                "tee-directory = /taken|tee-directory /taken/windows.jsonl: cannot be written: it is a folder"
            })
    void shouldRefuseWhatCannotBeWritten(String line, String complaint) throws Exception {
        Files.createFile(folder.resolve("file"));
        Files.createDirectory(folder.resolve("folder"));
        Files.createDirectories(folder.resolve("taken/windows.jsonl"));
        Path conf = write(
                "magnet.conf",
                "[ganglia]\ngmond-conf = %s/none.conf\n[service]\n%s\n"
                        .formatted(folder, line.replace(" /", " " + folder + "/")));
        assertThatThrownBy(() -> new SetupFiles(Optional.of(conf), conf).read())
                .isInstanceOf(ConfigException.class)
                .hasMessage(complaint.replaceAll(" /", " " + folder + "/"));
        assertThat(execute("-c", conf.toString())).isEqualTo(ExitCode.CONFIGURATION.code());
        assertThat(execute("--check-config", "-c", conf.toString())).isEqualTo(ExitCode.CONFIGURATION.code());
    }

    @Test
    void shouldMakeNothingWhenTheConfigurationIsOnlyLookedAt() throws IOException {
        Path conf = write(
                "magnet.conf",
                "[ganglia]\ngmond-conf = %1$s/none.conf\n[service]\npid-file = %1$s/pid\ntee-directory = %1$s/a/tee\n"
                        .formatted(folder));
        assertThat(execute("--check-config", "-c", conf.toString())).isEqualTo(ExitCode.OK.code());
        assertThat(folder).isDirectoryNotContaining(file -> !file.equals(conf));
    }

    /** What was not seen beforehand: there was a folder when the configuration was read. */
    @Test
    void shouldSayWhyWhenThePidFileCannotBeWritten() throws Exception {
        Path file = folder.resolve("none/pid");
        assertThatThrownBy(() -> new PidFile(Optional.of(file)).write())
                .isInstanceOf(ServiceException.class)
                .hasMessage("pid-file " + file + ": cannot be written: no such file or folder")
                .extracting(e -> ((ServiceException) e).exitCode())
                .isEqualTo(ExitCode.CONFIGURATION);
        Path good = folder.resolve("pid");
        PidFile written = new PidFile(Optional.of(good));
        written.write();
        assertThat(good).hasContent(ProcessHandle.current().pid() + "\n");
        written.remove();
        assertThat(good).doesNotExist();
    }

    @Test
    void shouldNotFollowALinkInPlaceOfThePidFile() throws Exception {
        Path target = folder.resolve("of-another");
        Path link = Files.createSymbolicLink(folder.resolve("pid"), target);
        String complaint =
                "pid-file " + link + ": cannot be written: it is a symbolic link, and links are not followed";
        assertThatThrownBy(() -> new PidFile(Optional.of(link)).write())
                .isInstanceOf(ServiceException.class)
                .hasMessage(complaint);
        assertThat(target).doesNotExist();
        Files.writeString(target, "kept\n");
        assertThatThrownBy(() -> new PidFile(Optional.of(link)).write()).hasMessage(complaint);
        assertThat(target).hasContent("kept\n");
        Path conf = write(
                "magnet.conf",
                "[ganglia]\ngmond-conf = %1$s/none.conf\n[service]\npid-file = %2$s\n".formatted(folder, link));
        assertThatThrownBy(() -> new SetupFiles(Optional.of(conf), conf).read()).hasMessage(complaint);
    }

    @Test
    void shouldLeaveThePidFileOfAnotherAlone() throws Exception {
        Path file = write("pid", "1\n");
        PidFile mine = new PidFile(Optional.of(file));
        mine.remove();
        assertThat(file).hasContent("1");
        mine.write();
        write("pid", "1\n");
        mine.remove();
        assertThat(file).hasContent("1");
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
        assertThat(documented)
                .hasSize(ExitCode.values().length + 1)
                .anyMatch(line -> line.startsWith(OUT_OF_MEMORY + ":"));
        for (ExitCode code : ExitCode.values()) {
            assertThat(documented).anyMatch(line -> line.startsWith(code.code() + ":"));
        }
        assertThat(out.toString()).contains("--config", "--check-config", "--summary", "Exit codes:");
    }

    @Test
    void shouldFailInOneLineWhenItsOutputCannotBeWritten() throws IOException {
        Path conf = write("magnet.conf", "[ganglia]\ngmond-conf = " + folder + "/none.conf");
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            CommandLine commandLine = new Magnetd().commandLine().setErr(new PrintWriter(err));
            assertThat(Magnetd.run(commandLine, full, "--check-config", "-c", conf.toString()))
                    .isEqualTo(1);
        }
        assertThat(err.toString().lines())
                .containsExactly("magnetd: cannot write what was asked for: No space left on device");
    }

    @Test
    void shouldEndQuietlyWhenNobodyReadsItsOutput() {
        CommandLine commandLine = new Magnetd().commandLine().setErr(new PrintWriter(err));
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        assertThat(Magnetd.run(commandLine, closed, "--version")).isZero();
        assertThat(err).hasToString("");
    }

    /** systemd shall start it again then, as nobody else does. */
    @Test
    void shouldLeaveTheExitCodeOfMemoryThatRanOutToTheJvm() throws IOException {
        assertThat(ExitCode.values()).extracting(ExitCode::code).doesNotContain(OUT_OF_MEMORY);
        String prevented = Files.readAllLines(Path.of("../packaging/magnetd.service")).stream()
                .filter(line -> line.startsWith("RestartPreventExitStatus="))
                .findFirst()
                .orElseThrow();
        List<Integer> codes = Stream.of(
                        prevented.substring(prevented.indexOf('=') + 1).split(" ", -1))
                .map(Integer::valueOf)
                .toList();
        assertThat(codes)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(ExitCode.values())
                        .filter(code -> code != ExitCode.OK && code != ExitCode.INTERNAL)
                        .map(ExitCode::code)
                        .toList());
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
        return new Magnetd()
                .commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }
}
