// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import magnet.cli.world.Interruption;
import magnet.cli.world.World;
import magnet.control.FakeModule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** One name for one thing, in all commands: those that come later, too. */
final class OptionNamesTest {
    /**
     * What all commands share.
     *
     * @param names the long one first
     * @param label of its value; empty if it has none or what it is differs
     */
    private record Shared(List<String> names, String label) {}

    private static final List<Shared> SHARED = List.of(
            new Shared(List.of("--duration", "-d"), "TIME"),
            new Shared(List.of("--count", "-n"), "COUNT"),
            new Shared(List.of("--interval", "-i"), "TIME"),
            new Shared(List.of("--buffer-size"), "SIZE"),
            new Shared(List.of("--snap"), "BYTES"),
            new Shared(List.of("--pid"), "PID"),
            new Shared(List.of("--top"), "N"),
            new Shared(List.of("--output", "-o"), ""),
            new Shared(List.of("--json"), ""),
            new Shared(List.of("--raw"), ""),
            new Shared(List.of("--point", "-p"), "POINT"),
            new Shared(List.of("--config", "-c"), "FILE"),
            new Shared(List.of("--timeout", "-t"), "TIME"),
            new Shared(List.of("--verbose", "-v"), ""),
            new Shared(List.of("--help", "-h"), ""),
            new Shared(List.of("--version", "-V"), ""));

    /** Letters of tcpdump's: they are names beside those of all commands, or of something that only packets have. */
    private static final Map<String, Set<String>> TCPDUMP =
            Map.of("magnet dump", Set.of("-c", "-w", "-s", "-B", "-i", "-l", "-U", "-p", "-t"));

    /** Other names for what has one. */
    private static final Set<String> WRONG = Set.of(
            "--time",
            "--seconds",
            "--limit",
            "--number",
            "--iterations",
            "--every",
            "--period",
            "--delay",
            "--buffer-bytes",
            "--snaplen",
            "--process",
            "--tgid",
            "--task",
            "--processes",
            "--rows",
            "--lines",
            "--out",
            "--deadline",
            "--file",
            "--write",
            "--points",
            "--conf");

    /** Commands that print nothing, or texts for people alone. */
    private static final Set<String> SILENT = Set.of(
            "magnet supermon", "magnet export", "magnet record start", "magnet load", "magnet unload", "magnet help");

    private final CommandLine magnet = MagnetCommand.commandLine(World.real(new Interruption()));

    @Test
    void shouldHaveOneNameForOneThingInAllCommands() {
        Map<String, Shared> byName = SHARED.stream()
                .flatMap(shared -> shared.names().stream().map(name -> Map.entry(name, shared)))
                .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
        forEachOption((command, option) -> {
            for (String name : option.names()) {
                Shared shared = byName.get(name);
                if (shared != null && !TCPDUMP.getOrDefault(command, Set.of()).contains(name)) {
                    assertThat(option.names()).as("%s %s", command, name).containsAll(shared.names());
                    assertThat(shared.label().isEmpty() || option.paramLabel().equals(shared.label()))
                            .as("%s %s %s", command, name, option.paramLabel())
                            .isTrue();
                }
                assertThat(WRONG).as("other names, in %s", command).doesNotContain(name);
            }
        });
    }

    @Test
    void shouldTakeTheSameValuesForTheSameNameInAllCommands() {
        Map<String, String> labels = new TreeMap<>();
        forEachOption((command, option) -> {
            String label = option.arity().max() == 0 ? "" : option.paramLabel();
            boolean differs = Set.of("--output", "--remove", "--add", "--set", "--flight-recorder")
                    .contains(option.longestName());
            assertThat(differs ? label : labels.computeIfAbsent(option.longestName(), name -> label))
                    .as("%s %s", command, option.longestName())
                    .isEqualTo(label);
        });
        assertThat(labels).containsEntry("--filter", "RULE").containsEntry("--sample", "N");
    }

    @Test
    void shouldTakePointsInOneOptionEverywhere() {
        forEachOption((command, option) -> {
            if (option.paramLabel().equals("POINT")) {
                assertThat(option.splitRegex())
                        .as("%s %s", command, option.longestName())
                        .isEqualTo(",");
            }
        });
    }

    @Test
    void shouldPrintJsonWhereverThereIsOutput() {
        commands(magnet).filter(command -> command.getSubcommands().isEmpty()).forEach(command -> {
            String name = command.getCommandSpec().qualifiedName();
            if (!SILENT.contains(name)) {
                assertThat(command.getCommandSpec().findOption("--json"))
                        .as(name)
                        .isNotNull();
            }
        });
    }

    @Test
    void shouldHideOldNamesAndNoOthers() {
        assertThat(commands(magnet)
                        .flatMap(command -> command.getCommandSpec().options().stream())
                        .filter(OptionSpec::hidden)
                        .flatMap(option -> Arrays.stream(option.names())))
                .containsExactlyInAnyOrderElementsOf(
                        OldNames.ALL.stream().map(OldNames.Renaming::before).toList());
    }

    /** The table of those who upgrade has the names with a star, and no others. */
    @Test
    void shouldTakeEachOldNameThatTheChangelogPromises() throws IOException {
        Set<String> promised = new TreeSet<>();
        Pattern code = Pattern.compile("`([^`]+)`");
        for (String line : Files.readAllLines(Path.of("..", "CHANGELOG.md"))) {
            String[] cells = line.strip().split(" *\\| *", -1);
            if (cells.length == 5 && cells[2].endsWith("`*")) {
                List<String> commands = code.matcher(cells[1])
                        .results()
                        .map(each -> each.group(1))
                        .toList();
                List<String> names = code.matcher(cells[2])
                        .results()
                        .map(each -> each.group(1))
                        .toList();
                commands.forEach(command -> names.forEach(name -> promised.add(command + " " + name)));
            }
        }
        assertThat(promised)
                .hasSizeGreaterThan(10)
                .containsExactlyInAnyOrderElementsOf(OldNames.ALL.stream()
                        .map(each -> each.command() + " " + each.before())
                        .toList());
    }

    /** The value goes to the option, a line says its name, and both names at once are refused. */
    @Test
    void shouldTakeOldNamesAndSayTheNewOnes(@TempDir Path folder) throws Exception {
        Map<String, String> values = Map.of(
                "ID", "7", "PID", "7", "N", "7", "COUNT", "7", "SIZE", "64K", "BYTES", "64", "FILE", "/tmp/x", "TIME",
                "7s");
        Map<String, String> further = Map.of("adapt", "--when a>1", "supermon", "node", "report", "/tmp/x");
        for (OldNames.Renaming each : OldNames.ALL) {
            TestWorld world = new TestWorld(folder, new FakeModule());
            CommandLine line = MagnetCommand.commandLine(world.world());
            OptionSpec now =
                    line.getSubcommands().get(each.command()).getCommandSpec().findOption(each.now());
            String value = values.get(now.paramLabel());
            List<String> arguments = new ArrayList<>(List.of(each.command(), each.before(), value));
            arguments.addAll(List.of(further.getOrDefault(each.command(), "").split(" ")));
            arguments.remove("");
            line.parseArgs(arguments.toArray(new String[0]));

            Object taken = now.getter().get();
            assertThat(taken).as("%s", each).isNotNull();
            line.parseArgs(arguments.stream()
                    .map(word -> word.equals(each.before()) ? each.now() : word)
                    .toArray(String[]::new));
            assertThat(taken).as("%s", each).isEqualTo(now.getter().get());
            assertThat(world.errLines())
                    .containsExactly("magnet: " + each.before() + " is called " + each.now()
                            + " now; the next release does not take the old name");

            arguments.addAll(1, List.of(each.now(), value));
            assertThat(world.run(arguments.toArray(new String[0])))
                    .as("%s", each)
                    .isEqualTo(2);
            assertThat(world.errLines())
                    .last()
                    .isEqualTo("magnet: " + each.now() + " is given twice, once by its old name " + each.before()
                            + " (see: magnet " + each.command() + " --help)");
            world.err.reset();
        }
    }

    private void forEachOption(BiConsumer<String, OptionSpec> what) {
        commands(magnet)
                .forEach(command -> command.getCommandSpec().options().stream()
                        .filter(option -> !option.hidden())
                        .forEach(option -> what.accept(command.getCommandSpec().qualifiedName(), option)));
    }

    private static Stream<CommandLine> commands(CommandLine command) {
        return Stream.concat(
                        Stream.of(command),
                        command.getSubcommands().values().stream().flatMap(OptionNamesTest::commands))
                .filter(each -> each.getParent() != null);
    }
}
