// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import magnet.cli.world.Interruption;
import magnet.cli.world.World;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

final class DocumentsTest {
    private static final Path SHIPPED = Path.of("conf/magnet.conf");
    private static final Path TREE = Path.of("..");

    /** "What is read is copied", "it goes by the clock", "a file of it has changed": native readers stumble over these. */
    private static final Pattern STUMBLING_BLOCK =
            Pattern.compile("\\b[Ww]hat (?:\\w+ )?(?:is|was|are)\\b[^.,;:|()]*?\\b(?:is|was|are)\\b"
                    + "|\\b[Ww]hat it is for\\b"
                    + "|(?<!time )\\bgo(?:es)? by\\b"
                    + "|(?<!\\b(?:all|front|half|more|most|multiple|none|part|some)|%) of it\\b");

    @TempDir
    private Path folder;

    @BeforeEach
    void write() throws IOException {
        Documents.main(new String[] {folder.toString(), SHIPPED.toString(), "1.2.3"});
    }

    @Test
    void shouldWritePageOfEachCommandWithAllOfItsOptions() throws IOException {
        CommandLine magnet = MagnetCommand.commandLine(World.real(new Interruption()));

        for (CommandLine command : magnet.getSubcommands().values()) {
            String page = read("magnet-" + command.getCommandName() + ".1");
            assertThat(page)
                    .contains(".SH NAME\nmagnet\\-" + command.getCommandName() + " \\- ", ".SH SYNOPSIS\nmagnet ");
            for (OptionSpec option : command.getCommandSpec().options()) {
                assertThat(page.contains(Roff.bold(option.longestName()))).isNotEqualTo(option.hidden());
            }
            assertThat(read("magnet.1")).contains(Roff.bold(command.getCommandName()) + "\n");
        }
        assertThat(read("magnetd.8")).contains("\\fB\\-\\-check\\-config\\fR", ".SH EXIT STATUS", "\"magnet 1.2.3\"");
    }

    @Test
    void shouldShowTextsAsTheHelpDoes() throws IOException {
        assertThat(read("magnet-points.1")).contains("p:vfs_read len=$arg3:u32").doesNotContain("$$", "%n", "@|");
    }

    @Test
    void shouldHaveExamplesAndTheDocumentsOfThePackage() throws IOException {
        assertThat(read("magnet-read.1"))
                .contains(".SH EXAMPLES\n.PP\n.nf\n    sudo magnet read \\-p sched_switch \\-n 10\n")
                .contains("/usr/share/doc/magnet\\-sensor/docs/traces.md")
                .doesNotContain("Read on", "${");
        assertThat(read("magnetd.8")).contains(".SH EXAMPLES");
    }

    /** Other tests' texts are a tree's. */
    @AfterEach
    void forgetPackage() {
        System.clearProperty("magnet.docs");
        System.clearProperty("magnet.page");
    }

    @Test
    void shouldTellOfExitCodesThatOnlyOneCommandHas() throws IOException {
        assertThat(read("magnet-adapt.1"))
                .contains(".SH EXIT STATUS", Roff.bold("6") + "\na right is missing", Roff.bold("7") + "\n");
        assertThat(read("magnet-top.1")).contains(".SH EXIT STATUS").doesNotContain("a right is missing");
    }

    @Test
    void shouldTellOfEachKeyOfShippedConfiguration() throws IOException {
        String page = read("magnet.conf.5");

        List<String> keys = Files.readAllLines(SHIPPED).stream()
                .filter(line -> Pattern.matches("[a-z-]+ =.*", line))
                .toList();
        assertThat(keys).hasSizeGreaterThan(20);
        for (String line : keys) {
            String[] key = line.split(" =", 2);
            assertThat(page).contains(".TP\n" + Roff.bold(key[0]) + " = " + Roff.escaped(key[1].strip()) + "\n");
        }
        assertThat(page)
                .contains(".SH [metrics]\n.TP\n", "    [handler fsync]\n    kind = distribution\n")
                .doesNotContain("SPDX-License-Identifier: Apache-2.0 \\");
    }

    @Test
    void shouldNotLetTextBecomeRoff() {
        Roff page = new Roff("x", 1, "s").paragraphs(List.of(".so /etc/passwd", "'tis a \\ and a -"));

        assertThat(page.text()).contains("\\&.so /etc/passwd\n", "\\&'tis a \\e and a \\-\n");
    }

    @Test
    void shouldLetBashCompleteEachCommand() throws IOException {
        assertThat(read("magnet.bash")).contains("complete -F _complete_magnet", "--passive", "unload");
        assertThat(read("magnetd.bash")).contains("complete -F _complete_magnetd", "--check-config");
    }

    @Test
    void shouldBePlainEnglish() throws IOException {
        List<Path> texts = new ArrayList<>(List.of(
                TREE.resolve("README.md"),
                TREE.resolve("CONTRIBUTING.md"),
                TREE.resolve("gmond-conf/README.md"),
                TREE.resolve("integration-tests/README.md"),
                TREE.resolve("packaging/README.md"),
                TREE.resolve("sensor-kmod/tests/README.md")));
        texts.addAll(filesIn(TREE.resolve("docs"), "*.md"));
        texts.addAll(filesIn(folder, "*.[158]"));
        assertThat(texts).hasSizeGreaterThan(40);

        for (Path text : texts) {
            assertThat(stumblingBlocks(Files.readString(text))).as("%s", text).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "the manual says what it is for is told there",
                "a file of it has changed",
                "what clients are told is too low",
                "the last record of it.",
                "it goes by the clock"
            })
    void shouldFindWhatNativeReadersStumbleOver(String text) {
        assertThat(stumblingBlocks(text)).hasSize(1);
    }

    private static List<Path> filesIn(Path folder, String glob) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, glob)) {
            return StreamSupport.stream(files.spliterator(), false).toList();
        }
    }

    private static List<String> stumblingBlocks(String text) {
        return Pattern.compile("\n\\s*\n")
                .splitAsStream(text)
                .map(paragraph -> paragraph.replaceAll("\\s+", " "))
                .flatMap(paragraph -> STUMBLING_BLOCK.matcher(paragraph).results())
                .map(MatchResult::group)
                .toList();
    }

    private String read(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }
}
