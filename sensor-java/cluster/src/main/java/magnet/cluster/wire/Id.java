// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import java.security.SecureRandom;

/**
 * A number of 128 bits that nobody else has chosen: of a run, or of who sends. Immutable.
 *
 * @param high the upper half
 * @param low the lower half
 */
public record Id(long high, long low) {
    /** Bytes on the wire. */
    static final int SIZE = 2 * Long.BYTES;

    /** Of nothing. */
    public static final Id NONE = new Id(0, 0);

    private static final int SHORT_DIGITS = 8;

    /** A new one. */
    public static Id random(SecureRandom random) {
        return new Id(random.nextLong(), random.nextLong());
    }

    /** Its first eight hexadecimal digits, for people. */
    public String brief() {
        return toString().substring(0, SHORT_DIGITS);
    }

    /** All 32 hexadecimal digits. */
    @Override
    public String toString() {
        return "%016x%016x".formatted(high, low);
    }

    /**
     * One by its 32 hexadecimal digits.
     *
     * @throws IllegalArgumentException if these are none
     */
    public static Id parse(String text) {
        if (text.length() != 2 * 16) {
            throw new IllegalArgumentException("not 32 hexadecimal digits: " + text);
        }
        return new Id(
                Long.parseUnsignedLong(text.substring(0, 16), 16), Long.parseUnsignedLong(text.substring(16), 16));
    }
}
