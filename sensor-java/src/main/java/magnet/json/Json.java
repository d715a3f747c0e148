// SPDX-License-Identifier: Apache-2.0
package magnet.json;

import com.google.gson.FormattingStyle;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes JSON of maps, collections, strings, numbers and booleans, and reads it. Stateless. */
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

    /**
     * What an object says: its values are maps, lists, strings, booleans, or Double for all numbers; what is null is left out.
     *
     * @throws IOException if the text is no object
     */
    public static Map<String, Object> object(String text) throws IOException {
        try (JsonReader reader = new JsonReader(new StringReader(text))) {
            return readObject(reader);
        } catch (IllegalStateException | NumberFormatException e) {
            throw new IOException("no JSON: " + e.getMessage(), e);
        }
    }

    private static Map<String, Object> readObject(JsonReader reader) throws IOException {
        Map<String, Object> map = new LinkedHashMap<>();
        reader.beginObject();
        while (reader.hasNext()) {
            String name = reader.nextName();
            if (reader.peek() == JsonToken.NULL) {
                reader.nextNull();
            } else {
                map.put(name, read(reader));
            }
        }
        reader.endObject();
        return map;
    }

    private static Object read(JsonReader reader) throws IOException {
        switch (reader.peek()) {
            case BEGIN_OBJECT -> {
                return readObject(reader);
            }
            case BEGIN_ARRAY -> {
                List<Object> list = new ArrayList<>();
                reader.beginArray();
                while (reader.hasNext()) {
                    list.add(read(reader));
                }
                reader.endArray();
                return list;
            }
            case NUMBER -> {
                return reader.nextDouble();
            }
            case BOOLEAN -> {
                return reader.nextBoolean();
            }
            default -> {
                return reader.nextString();
            }
        }
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
