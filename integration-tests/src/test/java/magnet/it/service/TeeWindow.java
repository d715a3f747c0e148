// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import com.google.gson.JsonObject;
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
    private static final String LENGTH = "magnet_sensor_window_length";
    private static final double HALF_A_DIGIT = 0.000_000_51;

    static List<TeeWindow> in(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .map(line -> new TeeWindow(Json.object(line)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The one of the windows with this length as it was published, which no other has. */
    static TeeWindow published(List<TeeWindow> windows, double length) {
        return windows.stream()
                .filter(each -> Math.abs(each.value(LENGTH) - length) < HALF_A_DIGIT)
                .findFirst()
                .orElseThrow();
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
