// SPDX-License-Identifier: Apache-2.0
package magnet.cli.check;

import java.util.List;
import java.util.stream.Collectors;
import magnet.cli.world.VisibleText;

/**
 * What a check comes to, as Nagios and all that took over its plugins read it: one line, of a status, a text and numbers for
 * graphs, and an exit code. By the Monitoring Plugins' guidelines, https://www.monitoring-plugins.org/doc/guidelines.html,
 * sections "Plugin output", "Plugin return codes" and "Performance data". Immutable.
 *
 * @param status how it is
 * @param text what there is to say
 * @param numbers what can be drawn
 */
public record NagiosLine(Status status, String text, List<Figure> numbers) {
    /** Nagios shows so much of a line, and NRPE hands on no more of it. */
    private static final int LONGEST_TEXT = 400;

    /** How a thing is. */
    public enum Status {
        OK(0),
        WARNING(1),
        CRITICAL(2),
        UNKNOWN(3);

        private final int exitCode;

        Status(int exitCode) {
            this.exitCode = exitCode;
        }
    }

    /**
     * A number that can be drawn.
     *
     * @param label what it is of, without spaces and quotes
     * @param value how many
     * @param unit its unit, as the guidelines have it: c is a counter
     * @param warning range outside of which it is a warning; empty for none
     * @param critical likewise
     */
    public record Figure(String label, long value, String unit, String warning, String critical) {
        /** One that is bad for nobody. */
        static Figure of(String label, long value) {
            return new Figure(label, value, "", "", "");
        }

        /** One that only grows. */
        static Figure counter(String label, long value) {
            return new Figure(label, value, "c", "", "");
        }

        /** One that is a warning unless it is 0. */
        static Figure warningUnlessZero(String label, long value) {
            return new Figure(label, value, "", "0", "");
        }

        /** One that is critical unless it is 0. */
        static Figure criticalUnlessZero(String label, long value) {
            return new Figure(label, value, "", "", "0");
        }

        @Override
        public String toString() {
            return label + "=" + value + unit + ";" + warning + ";" + critical + ";0";
        }
    }

    public NagiosLine {
        numbers = List.copyOf(numbers);
    }

    /** Nothing could be found out. */
    public static NagiosLine unknown(String why) {
        return new NagiosLine(Status.UNKNOWN, why, List.of());
    }

    public int exitCode() {
        return status.exitCode;
    }

    /** The line. A vertical bar would end its text. */
    @Override
    public String toString() {
        String plain = VisibleText.of(text).replace('|', '/');
        String cut = plain.length() > LONGEST_TEXT ? plain.substring(0, LONGEST_TEXT - 3) + "..." : plain;
        return "MAGNET " + status + ": " + cut
                + numbers.stream()
                        .map(Figure::toString)
                        .collect(Collectors.joining(" ", numbers.isEmpty() ? "" : " | ", ""));
    }
}
