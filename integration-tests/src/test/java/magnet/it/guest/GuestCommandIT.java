// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code integration-tests/guest}. */
@Tag("guest")
final class GuestCommandIT {
    private static final Duration LIMIT = GuestOptions.defaults().scaled(Duration.ofSeconds(60));

    @TempDir
    private Path folder;

    @Test
    void shouldPassOutputAndExitCodeThrough() throws Exception {
        Process guest = guest("--", "bash", "-c", "echo to stdout; echo to stderr >&2; pwd; exit 42");

        assertThat(exitCode(guest)).isEqualTo(42);
        assertThat(folder.resolve("stdout")).hasContent("to stdout\n" + Tree.root() + "\n");
        assertThat(folder.resolve("stderr")).content().contains("to stderr\n").contains("console.log");
    }

    @Test
    void shouldShareFolder() throws Exception {
        Process guest = guest("--share", folder.toString(), "--", "bash", "-c", "echo shared >\"$MAGNET_SHARE/file\"");

        assertThat(exitCode(guest)).isZero();
        assertThat(folder.resolve("file")).hasContent("shared\n");
        assertThat(folder.resolve("stderr")).isEmptyFile();
    }

    @Test
    void shouldExitWith125WhenKernelPanics() throws Exception {
        Process guest = guest("--", "bash", "-c", "echo c >/proc/sysrq-trigger; sleep 100");

        assertThat(exitCode(guest)).isEqualTo(125);
        assertThat(folder.resolve("stderr")).content().contains("crashed").contains("sysrq triggered crash");
    }

    @Test
    void shouldExitWith124WhenCommandDoesNotEnd() throws Exception {
        Process guest = guest("--timeout", "2", "--", "sleep", "1000");

        assertThat(exitCode(guest)).isEqualTo(124);
        assertThat(folder.resolve("stderr")).content().contains("did not end within 2 s");
    }

    @Test
    void shouldExitWith2WhenUsedWrongly() throws Exception {
        assertThat(exitCode(guest("--no-such-option"))).isEqualTo(2);
        assertThat(folder.resolve("stderr")).content().contains("--kernel NAME");
    }

    @Test
    void shouldEndQemuWhenKilled() throws Exception {
        Process guest = guest("--", "sleep", "1000");
        ProcessHandle qemu = awaitQemu(guest);

        guest.destroyForcibly().waitFor();

        Awaitility.await().atMost(LIMIT).until(() -> !qemu.isAlive());
    }

    /** Its QEMU, once that has taken the place of the script that prepares it. */
    private static ProcessHandle awaitQemu(Process guest) {
        return Awaitility.await()
                .atMost(LIMIT)
                .until(
                        () -> guest.descendants()
                                .filter(GuestCommandIT::isQemu)
                                .findFirst()
                                .orElse(null),
                        handle -> handle != null);
    }

    private static boolean isQemu(ProcessHandle process) {
        return process.info().command().orElse("").contains("qemu-system");
    }

    private Process guest(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Tree.root().resolve("integration-tests/guest").toString());
        command.addAll(List.of("--kernel", GuestOptions.defaults().kernel()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(Files.createFile(folder.resolve("stdout")).toFile())
                .redirectError(Files.createFile(folder.resolve("stderr")).toFile())
                .start();
    }

    private static int exitCode(Process guest) throws InterruptedException {
        if (!guest.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            guest.destroyForcibly();
            throw new AssertionError("the command did not end within " + LIMIT);
        }
        return guest.exitValue();
    }
}
