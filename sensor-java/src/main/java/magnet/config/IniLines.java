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
    private static final Pattern KEY = Pattern.compile("\\s*([^=:;#\\s\\[][^=:]*?)\\s*([=:].*)?");

    private record Line(String section, String key, int number) {}

    private final List<Line> lines = new ArrayList<>();

    IniLines(String text) {
        String section = "";
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            Matcher head = SECTION.matcher(line.strip());
            Matcher key = KEY.matcher(line.strip());
            if (head.matches()) {
                section = head.group(1).strip();
                lines.add(new Line(section, "", number));
            } else if (key.matches()) {
                lines.add(new Line(section, key.group(1), number));
            }
        }
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
}
