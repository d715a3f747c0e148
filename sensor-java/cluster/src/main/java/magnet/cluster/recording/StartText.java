// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import java.util.List;

/**
 * The text of an order to start: the name of a profile, and on a second line, if so, that also nodes whose clock nobody
 * disciplines shall record. Immutable.
 *
 * @param profile the name
 * @param allowsUnsynchronised whether such nodes record, too
 */
public record StartText(String profile, boolean allowsUnsynchronised) {
    private static final String ALLOW = "allow-unsynchronised";

    /** The text. */
    public String text() {
        return allowsUnsynchronised ? profile + "\n" + ALLOW : profile;
    }

    /** What a text says. */
    static StartText parse(String text) {
        List<String> lines = text.lines().toList();
        return new StartText(
                lines.isEmpty() ? "" : lines.get(0),
                lines.size() > 1 && lines.get(1).equals(ALLOW));
    }
}
