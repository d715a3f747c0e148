// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServiceProcessTest {
    @TempDir
    private Path proc;

    private void add(long pid, String... words) throws IOException {
        Path process = Files.createDirectories(proc.resolve(Long.toString(pid)));
        Files.writeString(process.resolve("cmdline"), String.join("\0", words) + "\0");
    }

    @Test
    void shouldFindTheOtherOneAndNeitherItselfNorWhoOnlyNamesIt() throws IOException {
        add(ProcessHandle.current().pid(), "java", "magnet.service.Magnetd");
        add(5, "grep", "magnet.service.Magnetd.java");
        Files.createDirectories(proc.resolve("6"));
        Files.createDirectories(proc.resolve("sys"));
        assertThat(ServiceProcess.find(proc)).isEmpty();
        add(77, "/usr/bin/java", "-Xmx96m", "-cp", "magnet.jar", "magnet.service.Magnetd", "-c", "x");
        assertThat(ServiceProcess.find(proc)).hasValue(77);
    }
}
