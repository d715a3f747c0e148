// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A line of windows.jsonl, which magnetd writes into its tee-directory: what it published, and of which part of
 * records.raw.
 */
record TeeWindow(JsonObject line) {

    static List<TeeWindow> in(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .map(line -> new TeeWindow(JsonParser.parseString(line).getAsJsonObject()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long fromByte() {
        return line.get("from_byte").getAsLong();
    }

    long toByte() {
        return line.get("to_byte").getAsLong();
    }

    /** A metric's value before it was rounded for Ganglia. */
    double value(String metric) {
        return line.getAsJsonObject("values").get(metric).getAsDouble();
    }
}
