// SPDX-License-Identifier: Apache-2.0
package magnet.json;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Writes one object after the other, each at the end of a line of text, and makes nothing anew for each but their texts.
 * Numbers of 64 bits are written as they are, with or without a sign. Not thread-safe.
 *
 * <p>gson writes everything but digits: it would make a text of each number first.
 */
public final class JsonLine {
    /** To gson it is a value, behind which the digits go. */
    private static final String NO_DIGITS = "";

    private final LineWriter out = new LineWriter(new StringBuilder());
    private final JsonWriter writer = new JsonWriter(out);

    public JsonLine() {
        // Otherwise it takes one object only.
        writer.setStrictness(Strictness.LENIENT);
    }

    /** Begins an object at the end of this line. */
    public JsonLine begin(StringBuilder line) {
        out.into(line);
        try {
            writer.beginObject();
        } catch (IOException e) {
            throw impossible(e);
        }
        return this;
    }

    /** Begins an object within the one that was begun last. */
    public JsonLine begin(String name) {
        try {
            writer.name(name).beginObject();
        } catch (IOException e) {
            throw impossible(e);
        }
        return this;
    }

    /** Ends the object that was begun last. */
    public JsonLine end() {
        try {
            writer.endObject();
        } catch (IOException e) {
            throw impossible(e);
        }
        return this;
    }

    /** A text. */
    public JsonLine text(String name, String value) {
        try {
            writer.name(name).value(value);
        } catch (IOException e) {
            throw impossible(e);
        }
        return this;
    }

    /** A number with a sign. */
    public JsonLine signed(String name, long value) {
        digitsOf(name).append(value);
        return this;
    }

    /** A number without a sign. */
    public JsonLine unsigned(String name, long value) {
        if (value >= 0) {
            return signed(name, value);
        }
        digitsOf(name).append(Long.toUnsignedString(value));
        return this;
    }

    /** A number in hex, as a text. */
    public JsonLine hex(String name, long value) {
        digitsOf(name).append("\"0x").append(Long.toHexString(value)).append('"');
        return this;
    }

    /** Something that is not known. */
    public JsonLine unknown(String name) {
        try {
            writer.name(name).nullValue();
        } catch (IOException e) {
            throw impossible(e);
        }
        return this;
    }

    /** Where the digits of a number go. */
    private StringBuilder digitsOf(String name) {
        try {
            writer.name(name).jsonValue(NO_DIGITS);
        } catch (IOException e) {
            throw impossible(e);
        }
        return out.line();
    }

    /** A line in memory takes all. */
    private static UncheckedIOException impossible(IOException e) {
        return new UncheckedIOException(e);
    }
}
