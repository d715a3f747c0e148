// SPDX-License-Identifier: Apache-2.0
package magnet.json;

import com.google.gson.FormattingStyle;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Map;

/** Writes JSON of maps, collections, strings, numbers and booleans. Stateless. */
public final class Json {
    private Json() {}

    /** A value as JSON in one line. Keys are written as their text; a number that is not finite as null. */
    public static String of(Object value) {
        StringBuilder text = new StringBuilder();
        JsonWriter writer = new JsonWriter(new LineWriter(text));
        writer.setFormattingStyle(FormattingStyle.COMPACT.withSpaceAfterSeparators(true));
        try {
            write(writer, value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void write(JsonWriter writer, Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            writer.beginObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                writer.name(String.valueOf(entry.getKey()));
                write(writer, entry.getValue());
            }
            writer.endObject();
        } else if (value instanceof Collection<?> collection) {
            writer.beginArray();
            for (Object each : collection) {
                write(writer, each);
            }
            writer.endArray();
        } else if (value instanceof Double number && !Double.isFinite(number)) {
            writer.nullValue();
        } else if (value instanceof Float number && !Float.isFinite(number)) {
            writer.nullValue();
        } else if (value instanceof Number number) {
            writer.value(number);
        } else if (value instanceof Boolean bool) {
            writer.value(bool);
        } else {
            writer.value(String.valueOf(value));
        }
    }
}
