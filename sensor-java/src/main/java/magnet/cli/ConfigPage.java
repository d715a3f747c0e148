// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * magnet.conf(5), made of the file as it is shipped: a comment before a key tells of that key, one before a section of
 * what follows, and an indented comment is an example. For one thread.
 */
final class ConfigPage {
    private static final Pattern SECTION = Pattern.compile("\\[(.+)]");
    private static final Pattern KEY = Pattern.compile("([a-z-]+) =(.*)");
    private static final String LICENCE = "SPDX-License-Identifier";

    private final Roff page;
    private final List<String> comment = new ArrayList<>();

    private ConfigPage(String source) {
        page = new Roff("magnet.conf", 5, source);
    }

    /**
     * The page.
     *
     * @param shipped the lines of the shipped file
     * @param source what it belongs to, with its version
     */
    static String text(List<String> shipped, String source) {
        ConfigPage page = new ConfigPage(source);
        page.page
                .heading("NAME")
                .marked("magnet.conf \\- configuration of magnetd, the service of magnet")
                .heading("DESCRIPTION");
        shipped.forEach(page::line);
        page.flush();
        page.page
                .heading("FILES")
                .term(Roff.bold("/etc/magnet/magnet.conf"), List.of("This file."))
                .term(
                        Roff.bold("/etc/ganglia/conf.d/magnet.conf"),
                        List.of(
                                "A part of gmond's configuration, which gmond passes over: switches magnet, and sets keys"
                                        + " of this file, for which it counts more."))
                .heading("SEE ALSO")
                .marked("magnetd(8), magnet(1), gmond.conf(5)");
        return page.page.text();
    }

    private void line(String line) {
        Matcher section = SECTION.matcher(line);
        Matcher key = KEY.matcher(line);
        if (line.startsWith("#")) {
            comment.add(line.substring(1));
        } else if (section.matches()) {
            flush();
            page.heading("[" + section.group(1) + "]");
        } else if (key.matches()) {
            String value = key.group(2).strip();
            page.term(Roff.bold(key.group(1)) + " = " + Roff.escaped(value), texts());
            comment.clear();
        } else {
            flush();
        }
    }

    /** A comment that belongs to no key. */
    private void flush() {
        List<String> example = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        for (String line : comment) {
            (line.startsWith("   ") || (line.isBlank() && !example.isEmpty()) ? example : texts).add(line);
        }
        page.paragraphs(joined(texts));
        if (!example.isEmpty()) {
            page.literal(example.stream().map(String::strip).toList());
        }
        comment.clear();
    }

    private List<String> texts() {
        return joined(comment);
    }

    /** Lines of one paragraph in one; an empty line begins another. */
    private static List<String> joined(List<String> lines) {
        List<String> paragraphs = new ArrayList<>();
        StringBuilder paragraph = new StringBuilder();
        for (String line : lines) {
            if (line.contains(LICENCE)) {
                continue;
            }
            if (line.isBlank()) {
                paragraphs.add(paragraph.toString());
                paragraph.setLength(0);
            } else {
                paragraph.append(paragraph.isEmpty() ? "" : " ").append(line.strip());
            }
        }
        paragraphs.add(paragraph.toString());
        return paragraphs;
    }
}
