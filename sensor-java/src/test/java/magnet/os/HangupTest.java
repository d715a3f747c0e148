// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In a JVM of its own, because this one may have been started with SIGHUP ignored. */
@Timeout(60)
class HangupTest {
    /** The process that gets the signals: a line for what onHangup says, then one for each of them. */
    static final class Waiting {
        private Waiting() {}

        public static void main(String[] arguments) throws InterruptedException {
            System.out.println(Hangup.onHangup(() -> System.out.println("hangup")));
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    @Test
    void shouldRunTheActionEachTimeWhenTheSignalComes() throws Exception {
        Process process = start("--default-signal=HUP");
        try (BufferedReader lines = process.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("true");
            for (int i = 0; i < 3; i++) {
                hangUp(process);
                assertThat(lines.readLine()).isEqualTo("hangup");
            }
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void shouldSayThatSignalsAreIgnored() throws Exception {
        Process process = start("--ignore-signal=HUP");
        try (BufferedReader lines = process.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("false");
            hangUp(process);
            assertThat(process.isAlive()).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    private static void hangUp(Process process) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-HUP", String.valueOf(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static Process start(String signals) throws IOException, URISyntaxException {
        return new ProcessBuilder(
                        "env",
                        signals,
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        folder(Hangup.class) + File.pathSeparator + folder(Waiting.class),
                        Waiting.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static Path folder(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
