// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/**
 * A number of bytes as people write it: {@code 65536}, {@code 64K}, {@code 8M}, {@code 1G}; the letters are powers of
 * 1,024.
 *
 * @param bytes how many
 */
record ByteSize(long bytes) {
    /** What an option of this type wants. */
    static final String WANTED = "a size such as 64K or 8M";

    private static final Pattern FORM = Pattern.compile("(\\d{1,10})([KkMmGg]?)");

    static ByteSize parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("not " + WANTED);
        }
        int shift = switch (matcher.group(2)) {
            case "K", "k" -> 10;
            case "M", "m" -> 20;
            case "G", "g" -> 30;
            default -> 0;
        };
        long count = Long.parseLong(matcher.group(1));
        if (count > Long.MAX_VALUE >> shift) {
            throw new TypeConversionException("not " + WANTED);
        }
        return new ByteSize(count << shift);
    }
}
