// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import magnet.cli.world.Interruption;
import magnet.cli.world.World;
import org.junit.jupiter.api.Test;
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
            new Shared(List.of("--verbose", "-v"), ""),
            new Shared(List.of("--help", "-h"), ""),
            new Shared(List.of("--version", "-V"), ""));

    /** Letters of tcpdump's: they are names beside those of all commands, or of something that only packets have. */
    private static final Map<String, Set<String>> TCPDUMP =
            Map.of("magnet dump", Set.of("-c", "-w", "-s", "-B", "-i", "-l", "-U", "-p"));

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
            "--file",
            "--write",
            "--points",
            "--conf");

    /** Commands that print nothing, or texts for people alone. */
    private static final Set<String> SILENT = Set.of(
            "magnet supermon",
            "magnet export",
            "magnet record start",
            "magnet load",
            "magnet unload",
            "magnet help",
            "magnet version");

    /** Commands whose output is for people only, by now. */
    private static final Set<String> FOR_PEOPLE = Set.of("magnet top");

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
            if (!SILENT.contains(name) && !FOR_PEOPLE.contains(name)) {
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
