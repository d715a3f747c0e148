// SPDX-License-Identifier: Apache-2.0
package magnet.json;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes one object after the other, each at the end of a line of text, and makes nothing anew for each but their texts.
 * Numbers of 64 bits are written as they are, with or without a sign. Not thread-safe.
 *
 * <p>gson writes what has to be escaped: texts, and each name once, which is kept. It would go over every name again in each
 * object, which takes longer than all else.
 */
public final class JsonLine {
    private final LineWriter out = new LineWriter(new StringBuilder());
    private final JsonWriter writer = new JsonWriter(out);
    private final Map<String, String> names = new HashMap<>();
    private StringBuilder line = new StringBuilder();
    private boolean first;

    public JsonLine() {
        // Several values in a row are no JSON: here each is a part of it.
        writer.setStrictness(Strictness.LENIENT);
    }

    /** Begins an object at the end of this line. */
    public JsonLine begin(StringBuilder whose) {
        line = whose;
        return begin();
    }

    /** Begins an object within the one that was begun last. */
    public JsonLine begin(String name) {
        name(name);
        return begin();
    }

    private JsonLine begin() {
        line.append('{');
        first = true;
        return this;
    }

    /** Ends the object that was begun last. */
    public JsonLine end() {
        line.append('}');
        first = false;
        return this;
    }

    /** A text. */
    public JsonLine text(String name, String value) {
        name(name);
        write(value, line);
        return this;
    }

    /** A number with a sign. */
    public JsonLine signed(String name, long value) {
        name(name);
        line.append(value);
        return this;
    }

    /** A number without a sign. */
    public JsonLine unsigned(String name, long value) {
        name(name);
        if (value >= 0) {
            line.append(value);
        } else {
            line.append(Long.toUnsignedString(value));
        }
        return this;
    }

    /** A number in hex, as a text. */
    public JsonLine hex(String name, long value) {
        name(name);
        line.append("\"0x").append(Long.toHexString(value)).append('"');
        return this;
    }

    /** Something that is not known. */
    public JsonLine unknown(String name) {
        name(name);
        line.append("null");
        return this;
    }

    private void name(String name) {
        if (!first) {
            line.append(',');
        }
        first = false;
        String known = names.get(name);
        if (known == null) {
            StringBuilder written = new StringBuilder();
            write(name, written);
            known = written.append(':').toString();
            names.put(name, known);
        }
        line.append(known);
    }

    private void write(String text, StringBuilder where) {
        out.into(where);
        try {
            writer.value(text);
        } catch (IOException e) {
            // A line in memory takes all.
            throw new UncheckedIOException(e);
        }
    }
}
