// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Prints the last part of a command's help: examples, and where to read on. picocli would fold an example like any text, and what
 * is copied then would be two commands, and would break names of files at their hyphens. Stateless.
 */
public final class HelpFooter implements IHelpSectionRenderer {
    private static final String CONTINUED = " \\";
    private static final String INDENT = "      ";
    private static final String COMMENT = "# ";

    private HelpFooter() {}

    /** Lets a command and those below it print their help so. */
    public static void addTo(CommandLine command) {
        Map<String, IHelpSectionRenderer> sections = command.getHelpSectionMap();
        sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, new HelpFooter());
        command.setHelpSectionMap(sections);
    }

    @Override
    public String render(Help help) {
        UsageMessageSpec usage = help.commandSpec().usageMessage();
        List<String> lines = Arrays.stream(usage.footer())
                .map(line -> Ansi.OFF.string(String.format(line)))
                .flatMap(text -> Stream.of(text.split("\n", -1)))
                .toList();
        return String.join("\n", folded(lines, usage.width())) + "\n";
    }

    /**
     * Lines that are no wider than a terminal.
     *
     * @param lines examples and comments are indented; an example that goes on in the next line ends with a backslash
     */
    public static List<String> folded(List<String> lines, int columns) {
        List<String> folded = new ArrayList<>();
        StringBuilder example = new StringBuilder();
        for (String line : lines) {
            if (line.endsWith(CONTINUED)) {
                String part = next(example, line);
                example.append(part, 0, part.length() - CONTINUED.length());
            } else if (!example.isEmpty()) {
                folded.addAll(example(example + next(example, line), columns));
                example.setLength(0);
            } else if (line.strip().startsWith(COMMENT)) {
                folded.addAll(comment(line, columns));
            } else if (line.startsWith(" ")) {
                folded.addAll(example(line, columns));
            } else {
                folded.addAll(List.of(Folding.of(line, columns, 2).split("\n", -1)));
            }
        }
        return folded;
    }

    private static String next(StringBuilder before, String line) {
        return before.isEmpty() ? line : " " + line.strip();
    }

    private static List<String> comment(String line, int columns) {
        List<String> lines = new ArrayList<>();
        String text = line.strip().substring(COMMENT.length());
        Folding.of(text, columns - INDENT.length() - COMMENT.length(), 0)
                .lines()
                .forEach(each -> lines.add(INDENT + COMMENT + each));
        return lines;
    }

    private static List<String> example(String line, int columns) {
        List<String> lines = new ArrayList<>();
        String rest = line;
        while (rest.length() > columns) {
            int end = end(rest, columns - CONTINUED.length());
            if (end < 0) {
                break;
            }
            lines.add(rest.substring(0, end) + CONTINUED);
            rest = INDENT + rest.substring(end + 1);
        }
        lines.add(rest);
        return lines;
    }

    /** The last space outside of quotes; one before an option if there is one, so that it stands beside its value. */
    private static int end(String line, int columns) {
        char quote = 0;
        int space = -1;
        int option = -1;
        for (int i = INDENT.length() + 1; i < line.length() && i <= columns; i++) {
            char c = line.charAt(i);
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (c == ' ') {
                space = i;
                option = i + 1 < line.length() && line.charAt(i + 1) == '-' ? i : option;
            }
        }
        return option >= 0 ? option : space;
    }
}
