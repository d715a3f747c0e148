// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the line on which a section or key of an INI file stands: Commons Configuration does not tell. Only used to
 * point at what it found. Immutable.
 */
final class IniLines {
    private static final Pattern SECTION = Pattern.compile("\\s*\\[(.*)\\].*");
    private static final Pattern SEPARATOR = Pattern.compile("[=:]");

    /** What begins a comment, or a value without a key. */
    private static final String NO_KEYS = ";#=:";

    private record Line(String section, String key, String value, int number) {}

    private final List<Line> lines = new ArrayList<>();
    private final List<Integer> unclosed = new ArrayList<>();

    IniLines(String text) {
        String section = "";
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            String all = line.strip();
            Matcher head = SECTION.matcher(all);
            if (head.matches()) {
                section = head.group(1).strip();
                lines.add(new Line(section, "", "", number));
            } else if (all.startsWith("[")) {
                unclosed.add(number);
            } else if (!all.isEmpty() && NO_KEYS.indexOf(all.charAt(0)) < 0) {
                String[] parts = SEPARATOR.split(all, 2);
                lines.add(new Line(section, parts[0].strip(), parts.length < 2 ? "" : parts[1].strip(), number));
            }
        }
    }

    /** Lines that begin as a section's head and do not end as one, from 1. */
    List<Integer> unclosed() {
        return unclosed;
    }

    /** Lines of a section's head, from 1. */
    List<Integer> ofSection(String section) {
        return ofKey(section, "");
    }

    /** Lines of a key in a section, from 1. */
    List<Integer> ofKey(String section, String key) {
        return lines.stream()
                .filter(line -> line.section().equals(section) && line.key().equals(key))
                .map(Line::number)
                .toList();
    }

    /** What stands behind a key in a section, comments and quotes included; of the first one. Empty if there is none. */
    String valueOf(String section, String key) {
        return lines.stream()
                .filter(line -> line.section().equals(section) && line.key().equals(key))
                .map(Line::value)
                .findFirst()
                .orElse("");
    }

    /** {@code file:line: } of the first of these lines; {@code file: } if there is none. */
    static String at(String file, List<Integer> lines) {
        return lines.isEmpty() ? file + ": " : file + ":" + lines.get(0) + ": ";
    }
}
