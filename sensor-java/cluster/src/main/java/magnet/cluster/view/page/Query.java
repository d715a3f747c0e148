// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a request asks for: the part of its address behind the question mark. Numbers are checked. Immutable. */
final class Query {
    /** No run is longer than this: a hundred days, whose nanoseconds JavaScript still counts. */
    private static final long TIME_MOST = 1L << 53;

    private final Map<String, String> values;

    private Query(Map<String, String> values) {
        this.values = values;
    }

    /** Of a raw text such as {@code from=0&to=5}; null is none. */
    static Query of(@Nullable String raw) throws BadRequestException {
        Map<String, String> values = new HashMap<>();
        for (String pair : raw == null ? new String[0] : raw.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                try {
                    values.put(
                            pair.substring(0, equals),
                            URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
                } catch (IllegalArgumentException e) {
                    throw new BadRequestException("not encoded as an address is: " + pair);
                }
            }
        }
        return new Query(values);
    }

    /** A text; empty if it is not there. */
    String text(String key) {
        return values.getOrDefault(key, "");
    }

    /** A whole number within bounds. */
    long number(String key, long least, long most) throws BadRequestException {
        String text = text(key);
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The message says what is wanted.
        }
        throw new BadRequestException(key + " wants a whole number from " + least + " to " + most + ", not '"
                + text.substring(0, Math.min(text.length(), 40)) + "'");
    }

    /** The same, which need not be there. */
    long number(String key, long least, long most, long otherwise) throws BadRequestException {
        return values.containsKey(key) ? number(key, least, most) : otherwise;
    }

    /** {@code from} and {@code to}. */
    Span span() throws BadRequestException {
        long from = number("from", -TIME_MOST, TIME_MOST);
        return new Span(from, number("to", from + 1, TIME_MOST + 1));
    }

    /**
     * A time of the run.
     *
     * @param from its begin, nanoseconds
     * @param to its end, later
     */
    record Span(long from, long to) {
        /** Where a part begins of so many, which are equal to a nanosecond. */
        long edge(int part, int parts) {
            long length = to - from;
            return from + length / parts * part + length % parts * part / parts;
        }
    }
}
