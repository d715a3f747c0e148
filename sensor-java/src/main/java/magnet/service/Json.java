// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.util.Collection;
import java.util.Iterator;
import java.util.Map;

/** Writes JSON of maps, collections, strings, numbers and booleans. Stateless. */
public final class Json {
    private Json() {}

    /** A value as JSON in one line. Keys are written as their text; a number that is not finite as null. */
    public static String of(Object value) {
        StringBuilder text = new StringBuilder();
        append(text, value);
        return text.toString();
    }

    private static void append(StringBuilder text, Object value) {
        if (value instanceof Map<?, ?> map) {
            text.append('{');
            for (Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator(); entries.hasNext(); ) {
                Map.Entry<?, ?> entry = entries.next();
                appendString(text, String.valueOf(entry.getKey()));
                text.append(": ");
                append(text, entry.getValue());
                text.append(entries.hasNext() ? ", " : "");
            }
            text.append('}');
        } else if (value instanceof Collection<?> collection) {
            text.append('[');
            for (Iterator<?> values = collection.iterator(); values.hasNext(); ) {
                append(text, values.next());
                text.append(values.hasNext() ? ", " : "");
            }
            text.append(']');
        } else if (value instanceof Double number && !Double.isFinite(number)) {
            text.append("null");
        } else if (value instanceof Number || value instanceof Boolean) {
            text.append(value);
        } else {
            appendString(text, String.valueOf(value));
        }
    }

    private static void appendString(StringBuilder text, String string) {
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (Character.isISOControl(c)) {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
