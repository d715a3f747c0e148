// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a command does not use, it does not load: its start is most of what a short one takes. */
@Timeout(120)
final class LoadedLibrariesTest {
    private static final String GSON = "com.google.gson";

    @TempDir
    private Path folder;

    @Test
    void shouldLoadWhatWritesJsonWhereJsonIsWantedAndNowhereElse() throws Exception {
        assertThat(loaded("check", "--passive"))
                .contains("magnet.cli.check.CheckCommand")
                .doesNotContain(GSON);
        assertThat(loaded("check", "--passive", "--json")).contains(GSON);
        assertThat(loaded("points")).contains("magnet.cli.module.PointsCommand").doesNotContain(GSON);
        assertThat(loaded("read", "-n", "1"))
                .contains("magnet.cli.trace.ReadCommand")
                .doesNotContain(GSON);
    }

    /** The classes that the command loads in a JVM of its own; it may fail, where there is no module. */
    private String loaded(String... command) throws IOException, InterruptedException {
        Path log = Files.createTempFile(folder, "loaded", "");
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load:file=" + log,
                "-cp",
                System.getProperty("java.class.path"),
                "magnet.cli.MagnetCommand"));
        line.addAll(List.of(command));
        Process process = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return Files.readString(log);
    }
}
