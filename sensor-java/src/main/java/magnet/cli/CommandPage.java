// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** A command's manual page, made of the same model as its help. */
final class CommandPage {
    private static final List<String> JAVA_OPTS = List.of("Options for the JVM.");
    private static final List<String> JAVA_HOME = List.of("The Java runtime, if it is not the one in the path.");

    private final CommandLine command;
    private final CommandSpec spec;
    private final String name;

    /** A page about this command, or subcommand of one. */
    CommandPage(CommandLine command) {
        this.command = command;
        spec = command.getCommandSpec();
        name = spec.qualifiedName("-");
    }

    /** The page's name: that of the command, after its parent's and a hyphen. */
    String name() {
        return name;
    }

    /**
     * The page.
     *
     * @param section of the manual
     * @param summary what the command is for, in one line
     * @param source what it belongs to, with its version
     * @param seeAlso pages with more, such as magnet(1)
     */
    String text(int section, String summary, String source, List<String> seeAlso) {
        Roff page = new Roff(name, section, source);
        page.heading("NAME").marked(Roff.escaped(name) + " \\- " + Roff.escaped(withoutStop(summary)));
        page.heading("SYNOPSIS").marked(Roff.escaped(oneLine(command.getHelp().synopsis(0))));
        page.heading("DESCRIPTION").paragraphs(plain(spec.usageMessage().description()));
        arguments(page);
        subcommands(page);
        exitCodes(page);
        examples(page);
        page.heading("ENVIRONMENT")
                .term(Roff.bold("MAGNET_JAVA_OPTS"), JAVA_OPTS)
                .term(Roff.bold("JAVA_HOME"), JAVA_HOME);
        page.heading("SEE ALSO").marked(seeAlso.stream().map(Roff::escaped).collect(Collectors.joining(", ")));
        page.paragraphs(documents());
        return page.text();
    }

    private void examples(Roff page) {
        List<String> lines = footer().stream()
                .takeWhile(line -> line.startsWith(" "))
                .map(line -> line.replaceFirst("^ {2}", ""))
                .toList();
        if (!lines.isEmpty()) {
            page.heading("EXAMPLES").literal(lines);
        }
    }

    /** Where its help says to read on, but for this page. */
    private List<String> documents() {
        String lead = "Read on: ";
        return footer().stream()
                .filter(line -> line.startsWith(lead))
                .map(line -> line.substring(lead.length()))
                .toList();
    }

    private List<String> footer() {
        return plain(spec.usageMessage().footer());
    }

    /** What the command's help has above its synopsis. */
    String header() {
        return oneLine(String.join(" ", plain(spec.usageMessage().header())));
    }

    private void arguments(Roff page) {
        if (spec.options().isEmpty() && spec.positionalParameters().isEmpty()) {
            return;
        }
        page.heading("OPTIONS");
        for (PositionalParamSpec argument : spec.positionalParameters()) {
            page.term(Roff.italic(argument.paramLabel()), description(argument));
        }
        for (OptionSpec option : spec.options()) {
            if (!option.hidden()) {
                page.term(names(option), description(option));
            }
        }
    }

    private static String names(OptionSpec option) {
        String names = Arrays.stream(option.names()).map(Roff::bold).collect(Collectors.joining(", "));
        return option.arity().max() == 0 ? names : names + "=" + Roff.italic(option.paramLabel());
    }

    private static List<String> description(ArgSpec argument) {
        return List.of(String.join(" ", plain(argument.description())));
    }

    private void subcommands(Roff page) {
        if (command.getSubcommands().isEmpty()) {
            return;
        }
        page.heading("COMMANDS");
        command.getSubcommands()
                .values()
                .forEach(subcommand -> page.term(
                        Roff.bold(subcommand.getCommandName()), List.of(new CommandPage(subcommand).header())));
    }

    private void exitCodes(Roff page) {
        Map<String, String> own = spec.usageMessage().exitCodeList();
        Map<String, String> codes = own.isEmpty() ? spec.root().usageMessage().exitCodeList() : own;
        if (!codes.isEmpty()) {
            page.heading("EXIT STATUS");
            codes.forEach((code, meaning) -> page.term(Roff.bold(code), List.of(meaning)));
        }
    }

    /** As the help prints them: picocli formats them, and has markup of its own. */
    private static List<String> plain(String[] texts) {
        return Arrays.stream(texts)
                .map(text -> Ansi.OFF.string(String.format(text)))
                .flatMap(String::lines)
                .toList();
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    private static String withoutStop(String text) {
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }
}
