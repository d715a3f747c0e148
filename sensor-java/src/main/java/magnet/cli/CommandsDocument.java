// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Writes {@code docs/commands.md} from the commands themselves. Stateless. */
final class CommandsDocument {
    private static final String HEAD = """
            <!-- SPDX-License-Identifier: Apache-2.0 -->
            # Commands

            This page lists every command of `magnet` and `magnetd` with all its options, as `--help` does. It is \
            generated from the commands. A test fails when it is stale; `mvn -pl sensor-java test \
            -Dtest=CommandsDocumentTest -Dmagnet.docs.write=true` writes it again.

            An option has one name in all commands:

            | what | option |
            | --- | --- |
            | how long | `-d`, `--duration TIME` |
            | how many events, packets, windows, changes | `-n`, `--count COUNT` |
            | how often | `-i`, `--interval TIME` |
            | memory for events that are not read yet | `--buffer-size SIZE` |
            | bytes of each packet | `--snap BYTES` |
            | one process | `--pid PID` |
            | how many rows | `--top N` |
            | where the output goes | `-o`, `--output` |
            | output for programs | `--json` |
            | points | `-p`, `--point POINT`, several times or as `a,b` |
            | a configuration | `-c`, `--config FILE` |
            | how long to wait for an answer | `-t`, `--timeout TIME` |

            A few letters mean something else where people know them from other programs: `-i` is the interface in `magnet \
            dump`, as in tcpdump; `-s` is the bytes of each packet there (`--snap`), and the order in `magnet top` \
            (`--sort`); `-c`, `-p` and `-t` are tcpdump's in `magnet dump`, too: the \
            count, no promiscuous mode, no time.

            A `TIME` is `500us`, `20ms`, `90s`, `5m`, `1h`, `1d`, or seconds such as `10` and `0.5`. `SIZE` and `BYTES` \
            take `64K`, `8M`, `1G`. `magnet dump` takes tcpdump's letters as well ([dump.md](dump.md)).

            Commands write their output to standard output, and remarks about it to standard error. The exit code is \
            0 if all went well, 1 if something failed and 2 if the command line is wrong, unless a command lists its own.

            | command | |
            | --- | --- |
            """;

    private CommandsDocument() {}

    /** The document. */
    static String markdown(CommandLine magnet, CommandLine magnetd) {
        StringBuilder text = new StringBuilder(HEAD);
        List<CommandLine> commands =
                Stream.concat(below(magnet), Stream.of(magnetd)).toList();
        for (CommandLine command : commands) {
            CommandSpec spec = command.getCommandSpec();
            String name = spec.qualifiedName();
            text.append("| [`%s`](#%s) | %s |%n".formatted(name, name.replace(' ', '-'), cell(header(spec))));
        }
        commands.forEach(command -> append(command, text));
        return text.toString();
    }

    private static Stream<CommandLine> below(CommandLine command) {
        return command.getSubcommands().values().stream().flatMap(each -> Stream.concat(Stream.of(each), below(each)));
    }

    private static void append(CommandLine command, StringBuilder text) {
        CommandSpec spec = command.getCommandSpec();
        text.append("%n## %s%n%n%s%n".formatted(spec.qualifiedName(), header(spec)));
        text.append("%n```%n%s%n```%n".formatted(command.getHelp().synopsis(0).strip()));
        List<ArgSpec> arguments = Stream.concat(
                        spec.positionalParameters().stream(),
                        spec.options().stream().filter(CommandsDocument::isListed))
                .toList();
        if (!arguments.isEmpty()) {
            text.append("%n| option | |%n| --- | --- |%n".formatted());
        }
        for (ArgSpec each : arguments) {
            text.append("| %s | %s |%n".formatted(names(each), cell(plain(each.description()))));
        }
        if (!spec.usageMessage().exitCodeList().isEmpty()) {
            text.append("%n| exit code | |%n| --- | --- |%n".formatted());
            spec.usageMessage()
                    .exitCodeList()
                    .forEach((code, meaning) -> text.append("| %s | %s |%n".formatted(code, cell(meaning))));
        }
    }

    /** Each command has --help and --version. */
    private static boolean isListed(OptionSpec option) {
        return !option.hidden() && !option.usageHelp() && !option.versionHelp();
    }

    private static String names(ArgSpec argument) {
        if (argument instanceof PositionalParamSpec) {
            return "`" + argument.paramLabel() + "`";
        }
        OptionSpec option = (OptionSpec) argument;
        String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
        String names = Arrays.stream(option.names()).collect(Collectors.joining("`, `"));
        return cell("`" + names + value + "`");
    }

    private static String header(CommandSpec spec) {
        return plain(spec.usageMessage().header());
    }

    private static String plain(String[] texts) {
        return Arrays.stream(texts)
                .map(text -> Ansi.OFF.string(String.format(text)).strip())
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(" "));
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }
}
