// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import magnet.it.guest.Guest;
import org.awaitility.Awaitility;

/**
 * A line of windows.jsonl, which magnetd writes into its tee-directory: what it published, and of which part of
 * records.raw.
 */
record TeeWindow(JsonObject line) {
    /** Of a run that has not published anything. */
    static final TeeWindow EMPTY = new TeeWindow(new JsonObject());

    private static final String LENGTH = "magnet_sensor_window_length";
    private static final double HALF_A_DIGIT = 0.000_000_51;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    /** The windows in whole lines of the file, which may still be written. */
    static List<TeeWindow> in(Path file) {
        try {
            String text = Files.readString(file);
            return text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
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

    /**
     * One that has all that has happened until now: the second of those that ended after it, for what happened just before
     * the first ended may not have been read yet. A line may be written long after its window's end, so the guest's clock
     * decides, and not the number of lines. Waiting for it costs the guest nothing.
     */
    static TeeWindow next(Guest guest, Path file) {
        Instant now = guest.now();
        return Awaitility.await()
                .atMost(guest.options().scaled(LIMIT))
                .until(
                        () -> in(file).stream()
                                .filter(each -> each.taken().isAfter(now))
                                .skip(1)
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private Instant taken() {
        return Instant.parse(line.get("taken").getAsString());
    }

    long fromByte() {
        return line.get("from_byte").getAsLong();
    }

    long toByte() {
        return line.get("to_byte").getAsLong();
    }

    /** The metrics that it has. */
    Set<String> names() {
        return line.getAsJsonObject("values").keySet();
    }

    /** A text, such as the name of a process. */
    String text(String metric) {
        return line.getAsJsonObject("values").get(metric).getAsString();
    }

    /** A metric's value before it was rounded for Ganglia. */
    double value(String metric) {
        return line.getAsJsonObject("values").get(metric).getAsDouble();
    }
}
