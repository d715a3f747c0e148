// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.List;
import java.util.Locale;

/** A manual page being written, in the macros of man(7). For one thread. */
final class Roff {
    private final StringBuilder page = new StringBuilder(4096);

    /**
     * Begins a page.
     *
     * @param name what the page is about
     * @param section of the manual, 1 for commands, 5 for files, 8 for what an admin runs
     * @param source what it belongs to, with its version
     */
    Roff(String name, int section, String source) {
        line(".\\\" SPDX-License-Identifier: Apache-2.0");
        line(".TH \"" + escaped(name.toUpperCase(Locale.ROOT)) + "\" \"" + section + "\" \"\" \"" + escaped(source)
                + "\" \"magnet\"");
        // Left-aligned and not hyphenated: most of it is names that somebody will copy.
        line(".nh");
        line(".ad l");
    }

    /** A section's heading. */
    Roff heading(String text) {
        return line(".SH " + escaped(text));
    }

    /** A heading below a section's. */
    Roff subheading(String text) {
        return line(".SS " + escaped(text));
    }

    /** Paragraphs of plain text: each element is one; an empty one is passed over. */
    Roff paragraphs(List<String> texts) {
        for (String text : texts) {
            if (!text.isBlank()) {
                line(".PP");
                line(sentence(text));
            }
        }
        return this;
    }

    /** A term, already marked up by {@link #bold} and {@link #italic}, and what there is to say about it. */
    Roff term(String marked, List<String> texts) {
        line(".TP");
        line(marked);
        boolean first = true;
        for (String text : texts) {
            if (!text.isBlank()) {
                if (!first) {
                    line(".IP");
                }
                line(sentence(text));
                first = false;
            }
        }
        return first ? line("\\&") : this;
    }

    /** Lines that stay as they are. */
    Roff literal(List<String> lines) {
        line(".PP");
        line(".nf");
        lines.forEach(text -> line(sentence("    " + text)));
        return line(".fi");
    }

    /** A line of markup. */
    Roff marked(String text) {
        return line(text);
    }

    /** The page. */
    String text() {
        return page.toString();
    }

    /** Text in bold. */
    static String bold(String text) {
        return "\\fB" + escaped(text) + "\\fR";
    }

    /** Text in italics: a placeholder. */
    static String italic(String text) {
        return "\\fI" + escaped(text) + "\\fR";
    }

    /** Text in which no character means anything to roff, and each looks as it does in a terminal. */
    static String escaped(String text) {
        return text.replace("\\", "\\e")
                .replace("-", "\\-")
                .replace("^", "\\(ha")
                .replace("~", "\\(ti")
                .replace("`", "\\(ga")
                .replace("\"", "\\(dq");
    }

    private static String sentence(String text) {
        String escaped = escaped(text);
        return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }

    private Roff line(String text) {
        page.append(text).append('\n');
        return this;
    }
}
