// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A section of gmond.conf as it was written, its names in lower case. Filled by the parser, read afterwards.
 */
final class GmondSection {
    /** An option: its value and where it stands. */
    record Option(String value, String file, int line) {
        private static final Pattern SPACES = Pattern.compile("^[ \\t\\n\\x0B\\f\\r]+");

        /** As strtol(3) reads it, which libconfuse asks: none is 0, spaces in front are passed over, 0x and 0 are prefixes. */
        Optional<Long> integer() {
            String number = SPACES.matcher(value).replaceFirst("");
            if (number.isEmpty()) {
                return value.isEmpty() ? Optional.of(0L) : Optional.empty();
            }
            try {
                return number.indexOf('#') >= 0 ? Optional.empty() : Optional.of(Long.decode(number));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }

        /** That it cannot be used, and where it stands. */
        GmondConfigException wrong(String why) {
            return new GmondConfigException(file, line, why);
        }
    }

    private final String name;
    private final Optional<String> title;
    private final String file;
    private final int line;
    private final Map<String, Option> options = new TreeMap<>();
    private final List<GmondSection> sections = new ArrayList<>();

    GmondSection(String name, Optional<String> title, String file, int line) {
        this.name = name.toLowerCase(Locale.ROOT);
        this.title = title;
        this.file = file;
        this.line = line;
    }

    String name() {
        return name;
    }

    Optional<String> title() {
        return title;
    }

    String file() {
        return file;
    }

    int line() {
        return line;
    }

    /** All sections of one name, in the order of the files. */
    List<GmondSection> sections(String wanted) {
        return sections.stream().filter(section -> section.name.equals(wanted)).toList();
    }

    /** An option; the last one given counts. */
    Optional<Option> option(String wanted) {
        return Optional.ofNullable(options.get(wanted));
    }

    /** The value of an option; empty also where that is an empty string. */
    Optional<String> text(String wanted) {
        return option(wanted).map(Option::value).filter(value -> !value.isEmpty());
    }

    /** An option of a section that may be given in several places, as {@code globals}: the last one given counts. */
    Optional<Option> optionOf(String section, String wanted) {
        return sections(section).stream()
                .flatMap(each -> each.option(wanted).stream())
                .reduce((first, last) -> last);
    }

    void add(GmondSection section) {
        sections.add(section);
    }

    void set(String option, Option value) {
        options.put(option.toLowerCase(Locale.ROOT), value);
    }
}
