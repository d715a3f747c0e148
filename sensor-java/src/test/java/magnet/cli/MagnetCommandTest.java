// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import magnet.cli.world.Interruption;
import magnet.cli.world.ReadOn;
import magnet.cli.world.World;
import magnet.os.TerminalSize;
import magnet.unit.ByteSize;
import magnet.unit.TimeSpan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

final class MagnetCommandTest extends WorldFixture {
    private static final String COUNTERS = "none, or up to 4, separated by commas, of cycles, instructions,"
            + " cache_references, cache_misses, branches, branch_misses, cpu_clock, context_switches";

    private static final String DURATION =
            "a time such as 500us, 20ms, 90s, 5m, 1h or 1d, or seconds such as 10 or 0.5";

    @Test
    void shouldHelpWhenAsked() {
        assertThat(world.run("--help")).isZero();
        assertThat(world.outLines()).contains("Exit codes:").anyMatch(line -> line.contains("unload"));
        assertThat(world.errLines()).isEmpty();
    }

    @Test
    void shouldTellItsVersion() {
        assertThat(world.run("--version")).isZero();
        assertThat(world.outLines()).singleElement().asString().startsWith("magnet ");
    }

    static Set<String> commands() {
        return MagnetCommand.commandLine(World.real(new Interruption()))
                .getSubcommands()
                .keySet();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldHelpWithEachCommandInLinesThatFit(String command) {
        assertThat(world.run(command, "--help")).isZero();
        assertThat(world.outLines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80))
                .contains("Examples:")
                .last()
                .asString()
                .startsWith("Read on: docs/");
        String help = world.out.toString(StandardCharsets.UTF_8);
        assertThat(help).doesNotContain("${", "$$");
        world.out.reset();
        assertThat(world.run("help", command)).isZero();
        assertThat(world.out.toString(StandardCharsets.UTF_8)).isEqualTo(help);
    }

    @Test
    void shouldNameTheManualPageWhereThereIsOne() {
        System.setProperty("magnet.docs", ReadOn.PACKAGED);
        try {
            assertThat(world.run("bench", "--help")).isZero();
            assertThat(world.outLines())
                    .endsWith("Read on: man magnet-bench, /usr/share/doc/magnet-sensor/docs/overhead.md");
        } finally {
            System.clearProperty("magnet.docs");
            System.clearProperty("magnet.page");
        }
    }

    @Test
    void shouldFitHelpIntoTheTerminal() {
        world.screen = Optional.of(new TerminalSize(60, 24));
        assertThat(world.run("points", "--help")).isZero();
        assertThat(world.outLines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(60));
        int lines = world.outLines().size();
        world.out.reset();
        world.screen = Optional.of(new TerminalSize(400, 24));
        assertThat(world.run("help", "points")).isZero();
        assertThat(world.outLines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100))
                .hasSizeLessThan(lines);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status",
                "points",
                "buffers",
                "filters",
                "check --passive",
                "dump --explain host 10.0.0.1 and tcp",
                "help rules",
                "record ls",
                "version",
                "status --json"
            })
    void shouldPrintNoLineWiderThanTheTerminal(String command) {
        world.terminal = true;
        for (int width : List.of(60, 80)) {
            world.out.reset();
            world.screen = Optional.of(new TerminalSize(width, 24));
            world.run(command.split(" "));
            assertThat(world.outLines()).isNotEmpty();
            if (command.contains("--json")) {
                assertThat(world.outLines()).as("for programs").hasSize(1);
            } else {
                assertThat(world.outLines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(width));
            }
            assertThat(world.errLines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(width));
        }
    }

    @Test
    void shouldExplainTopics() {
        for (HelpTopic topic : HelpTopic.values()) {
            world.out.reset();
            assertThat(world.run("help", topic.label())).isZero();
            assertThat(world.outLines())
                    .startsWith("magnet help " + topic.label() + ": " + topic.summary())
                    .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80))
                    .last()
                    .asString()
                    .startsWith("Read on: docs/");
            assertThat(HelpCommand.class.getAnnotation(CommandLine.Command.class)
                            .description()[1])
                    .contains(topic.label());
        }
    }

    @Test
    void shouldHelpWithAllCommandsAndTellItsVersionByCommandsToo() {
        assertThat(world.run("help")).isZero();
        assertThat(world.outLines()).contains("Exit codes:").anyMatch(line -> line.contains("unload"));
        world.out.reset();
        assertThat(world.run("version")).isZero();
        assertThat(world.outLines()).singleElement().asString().startsWith("magnet ");
        String version = world.outLines().get(0).substring("magnet ".length());
        world.out.reset();
        assertThat(world.run("version", "--json")).isZero();
        assertThat(world.outLines()).containsExactly("{\"version\": \"" + version + "\"}");
    }

    @Test
    void shouldExitWith2AndOneLineWhenMisused() {
        assertThat(world.run()).isEqualTo(2);
        assertThat(world.run("sttus")).isEqualTo(2);
        assertThat(world.run("points", "--bogus")).isEqualTo(2);
        assertThat(world.run("read", "-n", "many")).isEqualTo(2);
        assertThat(world.run("read", "-n", "0")).isEqualTo(2);
        assertThat(world.run("read", "-d", "0")).isEqualTo(2);
        assertThat(world.run("read", "-d", "NaN")).isEqualTo(2);
        assertThat(world.errLines())
                .hasSize(7)
                .allSatisfy(line -> assertThat(line).startsWith("magnet: ").endsWith("--help)"))
                .anySatisfy(line -> assertThat(line).contains("did you mean"));
        assertThat(world.outLines()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "read -n many | --count wants a whole number, not 'many' (see: magnet read --help)",
                "read -d long | --duration wants " + DURATION + ", not 'long' (see: magnet read --help)",
                "read -d 0s | --duration wants " + DURATION + ", not '0s' (see: magnet read --help)",
                "watch -d 5min | --duration wants " + DURATION + ", not '5min' (see: magnet watch --help)",
                "read --snap 4X | --snap wants a size such as 64K or 8M, not '4X' (see: magnet read --help)",
                "read udp_sendmsg | unknown argument 'udp_sendmsg' (see: magnet read --help)",
                "read -o x --raw | -o prints no events, so it does not go with --json, --raw, -v and --pid; a rule"
                        + " chooses a process: --filter 'drop if tgid != 4711' (see: magnet read --help)",
                "read --raw folder | unknown argument 'folder' (see: magnet read --help)",
                "read --sample 0 | --sample N must be at least 1, at most 2147483647 (see: magnet read --help)",
                "watch --filter log | --filter, --not-self, --sample, --snap, --counters, --pid, --buffer-size, --raw"
                        + " and -v need a point, -p POINT (see: magnet watch --help)",
                "filters --subscription 1 --sample-interval 2h | --sample-interval TIME must be at most 1h (see:"
                        + " magnet filters --help)",
                "filters --subscription 1 --sample-interval 3601s | --sample-interval TIME must be at most 1h (see:"
                        + " magnet filters --help)",
                "watch --counters cycles | --filter, --not-self, --sample, --snap, --counters, --pid, --buffer-size,"
                        + " --raw and -v need a point, -p POINT (see: magnet watch --help)",
                "read --counters cycles,ticks | --counters wants " + COUNTERS
                        + ", not 'cycles,ticks' (see: magnet read --help)",
                "watch --counters cycles, | --counters wants " + COUNTERS
                        + ", not 'cycles,' (see: magnet watch --help)",
                "filters --subscription 1 --counters cycles,instructions,branches,cpu_clock,context_switches |"
                        + " --counters wants "
                        + COUNTERS + ", not 'cycles,instructions,branches,cpu_clock,context_switches'"
                        + " (see: magnet filters --help)",
                "filters --counters cycles | a change needs --subscription ID" + " (see: magnet filters --help)",
                "filters --add log | a change needs --subscription ID (see: magnet filters --help)",
                "filters --subscription 1 --before 2 | --before goes with --add (see: magnet filters --help)",
                "filters --correlate x | --correlate DEFINITION and --buffer NAME go together (see: magnet filters"
                        + " --help)",
                "points --storm-guard marker | --storm-guard wants NAME=RATE or NAME=RATE/BURST with whole numbers,"
                        + " rates up to 1000000, not 'marker' (see: magnet points --help)",
                "buffers --create a --buffer-size x | --buffer-size wants a size such as 64K or 8M, not 'x' (see:"
                        + " magnet buffers --help)",
                "buffers --create a --remove b | one of --create, --resize, --snapshot and --remove at a time"
                        + " (see: magnet buffers --help)",
                "buffers --resize a | --resize wants --buffer-size SIZE (see: magnet buffers --help)",
                "buffers --buffer-size 1M | --buffer-size goes with --create and --resize (see: magnet buffers --help)",
                "buffers --flight-recorder | --flight-recorder goes with --create (see: magnet buffers --help)",
                "buffers --snapshot a | --snapshot NAME and --to NEW go together (see: magnet buffers --help)",
                "buffers --to a | --snapshot NAME and --to NEW go together (see: magnet buffers --help)",
                "bench --calls 0 | --calls N must be at least 1, at most 100000 (see: magnet bench --help)",
                "bench --rounds -1 | --rounds N must be at least 1, at most 1000000 (see: magnet bench --help)",
                "bench --rounds x | --rounds wants a whole number, not 'x' (see: magnet bench --help)",
                "top --sort size | --sort wants one of cpu, wait, switches, not 'size' (see: magnet top --help)",
                "top -i 0 | --interval wants " + DURATION + ", not '0' (see: magnet top --help)",
                "top -i NaN | --interval wants " + DURATION + ", not 'NaN' (see: magnet top --help)",
                "top -i 1e1 | --interval wants " + DURATION + ", not '1e1' (see: magnet top --help)",
                "top -i 99999us | --interval TIME must be from 0.1s to 1h (see: magnet top --help)",
                "top -i 61m | --interval TIME must be from 0.1s to 1h (see: magnet top --help)",
                "top -n 0 | --count COUNT must be at least 1 (see: magnet top --help)",
                "top --top -1 | --top N must be at least 1, at most 1000 (see: magnet top --help)",
                "top --top 0 | --top N must be at least 1, at most 1000 (see: magnet top --help)",
                "report --top 0 x | --top N must be at least 1 (see: magnet report --help)",
                "hist len -p udp_rcv --top 0 | --top N must be at least 1 (see: magnet hist --help)",
                "count --pid 0 | --pid PID must be at least 1 (see: magnet count --help)",
                "top --pid -1 | --pid PID must be at least 1 (see: magnet top --help)",
                "read --buffer-size 1K | --buffer-size SIZE must be from 64K to 256M (see: magnet read --help)",
                "count --buffer-size 1G | --buffer-size SIZE must be from 64K to 256M (see: magnet count --help)",
                "dump --buffer-size 1 | --buffer-size SIZE must be from 64K to 256M (see: magnet dump --help)",
                "top --buffer-size 1 | --buffer-size SIZE must be from 64K to 256M (see: magnet top --help)",
                "record start a -p b --buffer-size 1 | --buffer-size SIZE must be from 64K to 256M (see: magnet record"
                        + " start --help)",
                "read -p a,,b | -p wants names of points with commas between them, such as udp_sendmsg,udp_rcv"
                        + " (see: magnet read --help)",
                "watch -p a,,b | -p wants names of points with commas between them, such as udp_sendmsg,udp_rcv"
                        + " (see: magnet watch --help)",
                "top -p a,,b | -p wants names of points with commas between them, such as udp_sendmsg,udp_rcv"
                        + " (see: magnet top --help)",
                "record start x -p a,,b | -p wants names of points with commas between them, such as"
                        + " udp_sendmsg,udp_rcv (see: magnet record start --help)",
                "filters --subscription -1 | --subscription ID must be at least 1 (see: magnet filters --help)",
                "filters --subscription 1 --remove 0 | --remove ID must be at least 1 (see: magnet filters --help)",
                "filters --remove-correlation -3 | --remove-correlation ID must be at least 1 (see: magnet filters"
                        + " --help)",
                "filters --subscription 1 --snap 4001 | --snap BYTES must be at most 4000 (see: magnet filters --help)",
                "points --enable a --disable b,a | point a stands in --enable and in --disable (see: magnet points"
                        + " --help)",
                "sttus | unknown command 'sttus'; did you mean status? (see: magnet --help)",
                "points --bogus | unknown option '--bogus' (see: magnet points --help)",
                "read --duraton=5 | unknown option '--duraton'; did you mean --duration? (see: magnet read --help)",
                "report | FOLDER is missing (see: magnet report --help)",
                "export /tmp/x | --output FILE is missing (see: magnet export --help)",
                "read -n | --count wants a value, COUNT (see: magnet read --help)",
                "read -n -p x | --count wants a value, COUNT (see: magnet read --help)",
                "buffers --sise 1M | unknown option '--sise' (see: magnet buffers --help)",
                "top --repetitions 2 | unknown option '--repetitions' (see: magnet top --help)",
                "read --nagios | unknown option '--nagios' (see: magnet read --help)",
                "frobnicate --nagios | unknown command 'frobnicate' (see: magnet --help)",
                "read --pid 1 --pid 2 | --pid is given twice (see: magnet read --help)",
                "adapt -n 1 | --when CONDITION is missing (see: magnet adapt --help)",
                "cluster start | the command 'cluster' comes with the package magnet-cluster, which is not installed (see: magnet --help)",
                "frobnicate | unknown command 'frobnicate' (see: magnet --help)",
                "help ruls | unknown topic 'ruls'; did you mean rules? (see: magnet help --help)",
                "help nothing | unknown topic 'nothing'; topics are the commands, and rules, values, losses, rights"
                        + " (see: magnet help --help)",
            })
    void shouldSayWhatIsWantedInstead(String arguments, String line) {
        assertThat(world.run(arguments.split(" ", -1))).isEqualTo(2);
        assertThat(world.errLines()).containsExactly("magnet: " + line);
    }

    @Test
    void shouldReplaceNoRecordsThatWereKept() throws IOException {
        Path kept = Files.writeString(folder.resolve("cpu0.raw"), "kept");
        assertThat(world.run("read", "--records", folder.toString())).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: " + kept + " is there already; name another file, or remove this one");
        assertThat(kept).hasContent("kept");
    }

    @Test
    void shouldExitWith1AndOneLineWhenItFails() {
        world.control = () -> {
            throw new IOException("the sky fell");
        };
        assertThat(world.run("points")).isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: the sky fell");
    }

    @Test
    void shouldNotHideAnErrorOfItsOwn() {
        world.control = () -> {
            throw new IllegalStateException("impossible");
        };
        assertThat(world.run("points")).isEqualTo(1);
        assertThat(world.errLines())
                .startsWith("magnet: internal error: java.lang.IllegalStateException: impossible")
                .hasSizeGreaterThan(2);
    }

    @Test
    void shouldEndQuietlyWhenNobodyReads() {
        world.outStream = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        assertThat(world.run("points")).isZero();
        assertThat(world.run("--help")).isZero();
        assertThat(world.errLines()).isEmpty();
    }

    @Test
    void shouldFailInOneLineWhenTheOutputCannotBeWritten() throws IOException {
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            world.outStream = full;
            for (String[] command : new String[][] {{"--help"}, {"points"}, {"check", "--json"}}) {
                world.err.reset();
                assertThat(world.run(command)).as(command[0]).isEqualTo(1);
                assertThat(world.errLines())
                        .containsExactly("magnet: cannot write what was asked for: No space left on device");
            }
        }
    }

    /** Only the asked command is made then: its name in the list has to be the one that it gives itself. */
    @Test
    void shouldKnowEachCommandWhenItIsAskedForAlone() {
        for (String name : MagnetCommand.commandLine(World.real(new Interruption()))
                .getSubcommands()
                .keySet()) {
            world.out.reset();
            assertThat(world.run(name, "--help")).as(name).isZero();
            assertThat(world.outLines()).anyMatch(line -> line.startsWith("Usage: magnet " + name));
        }
    }

    @Test
    void shouldTakeSizesAndTimesByOneGrammarInEveryCommand() {
        Set<String> times = new TreeSet<>();
        Set<String> sizes = new TreeSet<>();
        MagnetCommand.commandLine(World.real(new Interruption()))
                .getSubcommands()
                .forEach((name, command) -> {
                    for (OptionSpec option : command.getCommandSpec().options()) {
                        boolean isTime = Set.of("TIME", "SECONDS").contains(option.paramLabel())
                                || Set.of("--interval", "--duration").contains(option.longestName());
                        boolean isSize = Set.of("SIZE", "BYTES").contains(option.paramLabel())
                                || Set.of("--snap", "--buffer-size").contains(option.longestName());
                        Class<?> type = option.auxiliaryTypes()[0];
                        String what = name + " " + option.longestName();
                        assertThat(type == TimeSpan.class)
                                .as("%s is a time", what)
                                .isEqualTo(isTime);
                        assertThat(type == ByteSize.class)
                                .as("%s is a size", what)
                                .isEqualTo(isSize);
                        (isTime ? times : isSize ? sizes : new TreeSet<String>()).add(what);
                    }
                });
        assertThat(times).contains("top --interval", "adapt --interval", "read --duration", "supermon --timeout");
        assertThat(sizes).contains("dump --snap", "read --snap", "filters --snap", "buffers --buffer-size");
    }

    @Test
    void shouldDescribeEveryOption() throws IOException {
        CommandLine commandLine = MagnetCommand.commandLine(World.real(new Interruption()));
        assertThat(commandLine.getSubcommands())
                .containsOnlyKeys(
                        "status",
                        "check",
                        "points",
                        "filters",
                        "buffers",
                        "read",
                        "watch",
                        "count",
                        "hist",
                        "dump",
                        "record",
                        "jobs",
                        "top",
                        "adapt",
                        "report",
                        "filter",
                        "export",
                        "supermon",
                        "bench",
                        "load",
                        "unload",
                        "help",
                        "version");
        assertThat(commandLine.getSubcommands().values()).allSatisfy(command -> {
            assertThat(command.getCommandSpec().usageMessage().header()).isNotEmpty();
            assertThat(command.getCommandSpec().options())
                    .allSatisfy(option -> assertThat(option.description()).isNotEmpty());
        });
    }
}
