// SPDX-License-Identifier: Apache-2.0
package magnet.unit;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes as people write it, in options and in files: {@code 65536}, {@code 64K}, {@code 8MiB}, {@code 1 G};
 * the letters are powers of 1,024, in either case. Immutable.
 *
 * @param bytes how many
 */
public record ByteSize(long bytes) {
    /** What a text has to be, to follow "wants". */
    public static final String WANTED = "a size such as 64K or 8M";

    private static final Pattern FORM = Pattern.compile("(\\d{1,12})\\s*([KMG]?)(?:I?B)?");

    /**
     * A size as it is written.
     *
     * @throws IllegalArgumentException if it is none, or larger than any memory
     */
    public static ByteSize parse(String text) {
        Matcher matcher = FORM.matcher(text.toUpperCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not " + WANTED);
        }
        int shift = switch (matcher.group(2)) {
            case "K" -> 10;
            case "M" -> 20;
            case "G" -> 30;
            default -> 0;
        };
        long count = Long.parseLong(matcher.group(1));
        if (count > Long.MAX_VALUE >> shift) {
            throw new IllegalArgumentException("not " + WANTED);
        }
        return new ByteSize(count << shift);
    }

    /** As it may be written: in G, M or K, whichever gives a whole number. */
    @Override
    public String toString() {
        if (bytes == 0 || bytes % (1 << 10) != 0) {
            return Long.toString(bytes);
        }
        if (bytes % (1 << 30) == 0) {
            return (bytes >> 30) + "G";
        }
        return bytes % (1 << 20) == 0 ? (bytes >> 20) + "M" : (bytes >> 10) + "K";
    }
}
