// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HeldBackTest {
    @TempDir
    private Path root;

    @Test
    void shouldFindNothingWhereNothingIsHeldBack() throws IOException {
        assertThat(HeldBack.find(root)).isEmpty();
        assertThat(ModuleNotLoadedException.on(root))
                .hasMessageContaining("load it with magnet load or modprobe magnet");
    }

    @Test
    void shouldSayHowTheBootEndedAndWhatLoadsItAgain() throws IOException {
        Path file = root.resolve("var/lib/magnet/held-back");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "boot 1b\nreason ended in a panic, see /var/crash/x\nreason of another kind\n");

        assertThat(HeldBack.find(root)).contains(new HeldBack(file, "ended in a panic, see /var/crash/x"));
        assertThat(ModuleNotLoadedException.on(root))
                .hasMessage(
                        "the kernel module is not loaded, but held back: the last boot with it ended in a panic, see"
                                + " /var/crash/x; magnet load --anyway");
    }
}
