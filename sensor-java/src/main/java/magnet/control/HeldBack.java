// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * That the packages do not load the module since the last boot with it came to no clean end: {@code packaging/module-guard}
 * leaves a file that says so, and whoever wants the module all the same removes it.
 *
 * @param file the guard's file
 * @param reason how that boot ended, as what a boot does: "ended in a panic"
 */
public record HeldBack(Path file, String reason) {
    private static final String REASON = "reason ";

    /**
     * Looks whether the module is held back.
     *
     * @param root the root of the machine's files
     */
    public static Optional<HeldBack> find(Path root) throws IOException {
        Path file = root.resolve("var/lib/magnet/held-back");
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            return Optional.of(new HeldBack(
                    file,
                    lines.filter(line -> line.startsWith(REASON))
                            .map(line -> line.substring(REASON.length()))
                            .findFirst()
                            .orElse("ended without a shutdown")));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** In words. */
    public String text() {
        return "held back: the last boot with it " + reason;
    }
}
