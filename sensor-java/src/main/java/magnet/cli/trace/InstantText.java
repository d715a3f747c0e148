// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.time.Instant;

/**
 * Instants as {@link Instant#toString} writes them. Of those of one second, as events come, the date is written once: the
 * standard library takes longer for it than all else of an event's line. Not thread-safe.
 */
final class InstantText {
    private static final int NANOS_PER_SECOND = 1_000_000_000;
    private static final int THOUSAND = 1_000;
    private static final int THREE_DIGITS = 3;
    private static final int DIGITS = 9;

    private final StringBuilder text = new StringBuilder();
    private long second;
    private int secondLength;

    /** @param nanos since 1970 */
    String of(long nanos) {
        long its = Math.floorDiv(nanos, NANOS_PER_SECOND);
        if (secondLength == 0 || its != second) {
            second = its;
            text.setLength(0);
            text.append(Instant.ofEpochSecond(its));
            secondLength = text.length() - 1;
        }
        text.setLength(secondLength);
        appendFraction(Math.floorMod(nanos, NANOS_PER_SECOND));
        return text.append('Z').toString();
    }

    /** Three, six or nine digits, as many as it takes. */
    private void appendFraction(int nanos) {
        if (nanos == 0) {
            return;
        }
        int rest = nanos;
        int digits = DIGITS;
        while (rest % THOUSAND == 0) {
            rest /= THOUSAND;
            digits -= THREE_DIGITS;
        }
        text.append('.');
        int begin = text.length();
        text.setLength(begin + digits);
        for (int i = begin + digits - 1; i >= begin; i--) {
            text.setCharAt(i, (char) ('0' + rest % 10));
            rest /= 10;
        }
    }
}
