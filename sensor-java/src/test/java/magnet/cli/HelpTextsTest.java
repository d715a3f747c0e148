// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import magnet.cli.world.HelpFooter;
import magnet.cli.world.Interruption;
import magnet.cli.world.ReadOn;
import magnet.cli.world.World;
import magnet.control.FakeModule;
import magnet.os.TerminalSize;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** What the help of every command prints, at several widths: commands below a command, too. */
final class HelpTextsTest {
    private static final List<Integer> WIDTHS = List.of(55, 60, 80);
    private static final Pattern DOCUMENT = Pattern.compile("(?<![\\w/-])docs/");

    /** What a command wants to have in any case. */
    private static final Map<String, String> COMPLETE = Map.ofEntries(
            Map.entry("record start", " a -p b"),
            Map.entry("record save", " a -o b"),
            Map.entry("record stop", " a"),
            Map.entry("jobs stop", " a"),
            Map.entry("jobs cont", " a"),
            Map.entry("jobs kill", " a"),
            Map.entry("adapt", " --when a>1"),
            Map.entry("report", " a"),
            Map.entry("filter", " a -o b drop"),
            Map.entry("export", " a -o b"),
            Map.entry("supermon", " a"));

    @TempDir
    private Path folder;

    private TestWorld world;

    @BeforeEach
    void makeWorld() throws IOException {
        world = new TestWorld(folder, new FakeModule());
    }

    @AfterEach
    void forgetPackage() {
        System.clearProperty("magnet.docs");
        System.clearProperty("magnet.page");
    }

    /** All commands, as they are typed. */
    static Stream<String> commands() {
        return below(MagnetCommand.commandLine(World.real(new Interruption())))
                .map(command -> command.getCommandSpec().qualifiedName().replaceFirst("^magnet ?", ""));
    }

    private static Stream<CommandLine> below(CommandLine command) {
        return Stream.concat(
                Stream.of(command), command.getSubcommands().values().stream().flatMap(HelpTextsTest::below));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldPrintExamplesThatCanBeCopiedAtEachWidth(String command) {
        CommandLine magnet = MagnetCommand.commandLine(world.world());
        for (int width : WIDTHS) {
            List<String> lines = help(width, (command + " --help").strip());
            assertThat(lines)
                    .as("%s at %d", command, width)
                    .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(width));
            List<String> examples = examples(lines);
            assertThat(examples).as("%s at %d", command, width).hasSizeBetween(2, 3);
            for (String example : examples) {
                assertThatCode(() -> parse(magnet, example)).as(example).doesNotThrowAnyException();
            }
            assertThat(String.join("\n", examples)).contains(("magnet " + command).strip());
        }
    }

    /** As a shell takes it apart, which begins a command at the end of each line that does not go on. */
    private static void parse(CommandLine magnet, String example) {
        List<String> words = new ArrayList<>();
        Matcher word = Pattern.compile("'([^']*)'|([^\\s']+)").matcher(example);
        while (word.find()) {
            words.add(word.group(1) != null ? word.group(1) : word.group(2));
        }
        assertThat(words).contains("magnet");
        int from = words.lastIndexOf("magnet") + 1;
        int pipe = words.indexOf("|");
        magnet.parseArgs(words.subList(from, pipe < 0 ? words.size() : pipe).toArray(new String[0]));
    }

    private static List<String> examples(List<String> lines) {
        String text = String.join(
                "\n", lines.subList(lines.indexOf("Examples:") + 1, lines.indexOf("") < 0 ? 0 : lines.size()));
        return text.replaceAll(" \\\\\n +", " ")
                .lines()
                .takeWhile(line -> line.startsWith(" "))
                .filter(line -> !line.strip().startsWith("#"))
                .toList();
    }

    @Test
    void shouldContinueExamplesOutsideOfQuotesAndBeforeOptions() {
        assertThat(HelpFooter.folded(
                        List.of(
                                "  sudo magnet adapt --when 'a > 1' \\",
                                "      --until 'a < 1' --then 'logger busy' -n 5",
                                "      # one two three four five six seven eight nine ten",
                                "",
                                "Read on: /usr/share/doc/magnet-sensor/a.md, /usr/share/doc/magnet-sensor/b.md"),
                        50))
                .containsExactly(
                        "  sudo magnet adapt --when 'a > 1' \\",
                        "      --until 'a < 1' --then 'logger busy' -n 5",
                        "      # one two three four five six seven eight",
                        "      # nine ten",
                        "",
                        "Read on: /usr/share/doc/magnet-sensor/a.md,",
                        "  /usr/share/doc/magnet-sensor/b.md");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldNameDocumentsAsTheyAreInstalledAndInOnePiece(String command) {
        System.setProperty("magnet.docs", ReadOn.PACKAGED);
        List<String> lines = help(80, (command + " --help").strip());
        String text = String.join("\n", lines);
        assertThat(DOCUMENT.matcher(text).find()).as(text).isFalse();
        String further = text.substring(text.lastIndexOf("Read on: "));
        assertThat(further.split("\\s+"))
                .filteredOn(word -> word.startsWith("/"))
                .isNotEmpty()
                .allSatisfy(word -> assertThat(word).matches(ReadOn.PACKAGED + "/[a-z-]+\\.md,?"));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldHelpTheSameWay(String command) {
        assertThat(help(80, ("help " + command).strip())).isEqualTo(help(80, (command + " --help").strip()));
    }

    @Test
    void shouldNameThePageOfACommandBelowACommand() {
        System.setProperty("magnet.docs", ReadOn.PACKAGED);
        assertThat(String.join(" ", help(80, "help record start"))).contains("man magnet-record-start, ");
        assertThat(String.join(" ", help(80, "record start --help"))).contains("man magnet-record-start, ");
    }

    @Test
    void shouldSayWhichCommandsThereAreBelowACommand() {
        assertThat(world.run("help", "record", "begin")).isEqualTo(2);
        assertThat(world.run("help", "read", "begin")).isEqualTo(2);
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: magnet record has no command 'begin'; its commands are start, save, ls, stop"
                                + " (see: magnet help --help)",
                        "magnet: magnet read has no command 'begin' (see: magnet help --help)");
    }

    @Test
    void shouldFoldTopics() {
        for (HelpTopic topic : HelpTopic.values()) {
            for (int width : WIDTHS) {
                List<String> lines = help(width, "help " + topic.label());
                assertThat(lines).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(width));
            }
        }
        assertThat(help(60, "help rules"))
                .contains(
                        "  ACTION   log, drop, sample N (one of N), every TIME (at",
                        "           most one in this time), urgent (logged, and the",
                        "           reader wakes at once)");
    }

    /** Whoever may not use a command finds it there. */
    @ParameterizedTest
    @MethodSource("commands")
    void shouldSayWhichRightsEachCommandNeeds(String command) {
        if (!List.of("", "help", "version", "record").contains(command)) {
            String rights = String.join(" ", help(80, "help rights")).replaceAll("\\s+", " ");
            String pattern = "\\b" + command + "\\b";
            assertThat(Pattern.compile(pattern).matcher(rights).find())
                    .as(command)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldFoldMessagesOnATerminalOnly(String command) {
        String bad = (command + COMPLETE.getOrDefault(command, "")
                        + " --an-option-that-no-command-of-magnet-has-and-that-nobody-ever-meant")
                .strip();
        assertThat(world.run(bad.split(" "))).isEqualTo(2);
        List<String> whole = world.errLines();
        assertThat(whole).hasSize(1);
        world.terminal = true;
        for (int width : List.of(60, 80)) {
            world.err.reset();
            world.screen = Optional.of(new TerminalSize(width, 24));
            world.run(bad.split(" "));
            assertThat(world.errLines())
                    .hasSizeGreaterThan(1)
                    .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(width));
            assertThat(String.join(" ", world.errLines()).replaceAll("\\s+", ""))
                    .isEqualTo(whole.get(0).replace(" ", ""));
        }
    }

    @Test
    void shouldFoldWhatFailsOnATerminalOnly() {
        String why = "sky ".repeat(40).strip();
        world.control = () -> {
            throw new IOException(why);
        };
        assertThat(world.run("points")).isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: " + why);
        world.err.reset();
        world.terminal = true;
        world.screen = Optional.of(new TerminalSize(60, 24));
        assertThat(world.run("points")).isEqualTo(1);
        assertThat(world.errLines())
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(60));
        assertThat(world.errLines().subList(1, 3))
                .allSatisfy(line -> assertThat(line).startsWith("    sky"));
    }

    private List<String> help(int width, String command) {
        world.out.reset();
        world.screen = Optional.of(new TerminalSize(width, 24));
        assertThat(world.run(command.split(" "))).as(command).isZero();
        assertThat(world.errLines()).isEmpty();
        return world.out.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
