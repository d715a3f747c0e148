// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.node;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import magnet.cluster.wire.Id;

/**
 * The last counters of senders, which a restart must not forget: otherwise an order could be sent again. A line for each
 * sender: its 32 hexadecimal digits and the counter. Immutable.
 */
final class CounterFile {
    private final Path file;

    CounterFile(Path file) {
        this.file = file;
    }

    /**
     * What was kept; nothing if there is no file.
     *
     * @throws IOException if it cannot be read or understood
     */
    Map<Id, Long> read() throws IOException {
        Map<Id, Long> counters = new HashMap<>();
        try {
            for (String line : Files.readAllLines(file)) {
                String[] words = line.split(" ", -1);
                if (words.length != 2) {
                    throw new IllegalArgumentException(line);
                }
                counters.put(Id.parse(words[0]), Long.parseLong(words[1]));
            }
        } catch (NoSuchFileException e) {
            return Map.of();
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    file + ": these are no counters of senders; remove it a minute after the last order was given", e);
        }
        return counters;
    }

    /** Keeps them, in a folder that it makes if there is none; who reads meanwhile has the old ones or the new ones. */
    void write(Map<Id, Long> counters) throws IOException {
        StringBuilder text = new StringBuilder();
        counters.forEach((sender, counter) ->
                text.append(sender).append(' ').append(counter).append('\n'));
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(fresh, text, StandardCharsets.UTF_8);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
