// SPDX-License-Identifier: Apache-2.0
package magnet.json;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Writes one object after the other, each at the end of a line of text, and makes nothing anew for each but their texts.
 * Numbers of 64 bits are written as they are, with or without a sign. Not thread-safe.
 */
public final class JsonLine {
    private final LineWriter out = new LineWriter(new StringBuilder());
    private final JsonWriter writer = new JsonWriter(out);

    public JsonLine() {
        // Several values in a row are no JSON: here each is a line of its own.
        writer.setStrictness(Strictness.LENIENT);
    }

    /** Begins an object at the end of this line. */
    public JsonLine begin(StringBuilder line) {
        out.into(line);
        try {
            writer.beginObject();
        } catch (IOException e) {
            throw never(e);
        }
        return this;
    }

    /** Begins an object within the one that was begun last. */
    public JsonLine begin(String name) {
        try {
            writer.name(name).beginObject();
        } catch (IOException e) {
            throw never(e);
        }
        return this;
    }

    /** Ends the object that was begun last. */
    public JsonLine end() {
        try {
            writer.endObject();
        } catch (IOException e) {
            throw never(e);
        }
        return this;
    }

    /** A text. */
    public JsonLine text(String name, String value) {
        try {
            writer.name(name).value(value);
        } catch (IOException e) {
            throw never(e);
        }
        return this;
    }

    /** A number with a sign. */
    public JsonLine signed(String name, long value) {
        try {
            writer.name(name).value(value);
        } catch (IOException e) {
            throw never(e);
        }
        return this;
    }

    /** A number without a sign. */
    public JsonLine unsigned(String name, long value) {
        try {
            if (value >= 0) {
                writer.name(name).value(value);
            } else {
                writer.name(name).jsonValue(Long.toUnsignedString(value));
            }
        } catch (IOException e) {
            throw never(e);
        }
        return this;
    }

    /** A number in hex, as a text. */
    public JsonLine hex(String name, long value) {
        return text(name, "0x" + Long.toHexString(value));
    }

    /** Something that is not known. */
    public JsonLine unknown(String name) {
        try {
            writer.name(name).nullValue();
        } catch (IOException e) {
            throw never(e);
        }
        return this;
    }

    /** A line in memory takes all. */
    private static UncheckedIOException never(IOException e) {
        return new UncheckedIOException(e);
    }
}
