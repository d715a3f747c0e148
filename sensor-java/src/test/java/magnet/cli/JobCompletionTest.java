// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import magnet.cli.world.Interruption;
import magnet.cli.world.World;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** bash itself completes, and asks a {@code magnet} that is made up. One job has a name that bash would run. */
class JobCompletionTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void make() throws Exception {
        Files.writeString(
                folder.resolve("magnet.bash"),
                JobCompletion.addTo(
                        Documents.completion("magnet", MagnetCommand.commandLine(World.real(new Interruption())))));
        Path magnet = folder.resolve("magnet");
        Files.writeString(magnet, """
                #!/bin/sh
                [ "$*" = "jobs --json" ] || exit 1
                echo '{"jobs": [{"job": "slurm:4711", "waited_for": [{"name": "slurm:1", "percent": 1.0}]},'
                echo '{"job": "slurm:4712"}, {"job": "cron.service"}, {"job": "gtrace:$(touch run)"}]}'
                """);
        assertThat(magnet.toFile().setExecutable(true)).isTrue();
    }

    private String complete(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("bash", "-c", """
                PATH=$PWD:$PATH
                . ./magnet.bash
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
                _complete_magnet 2>/dev/null # compopt says that no completion is under way
                echo "${COMPREPLY[*]}"
                """, "bash"));
        command.addAll(List.of(words));
        Process bash = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor(10, TimeUnit.MINUTES)).isTrue();
        return output.strip();
    }

    @Test
    void shouldOfferTheJobsOfThisNode() throws Exception {
        for (String command : new String[] {"tree", "stop", "cont", "kill", "keep"}) {
            assertThat(complete("magnet", "jobs", command, "slurm:")).isEqualTo("slurm:4711 slurm:4712");
        }
        assertThat(complete("magnet", "jobs", "stop", "slurm:4711", "c")).isEqualTo("cron.service");
        assertThat(complete("magnet", "jobs", "stop", "--s")).isEqualTo("--signals");
        assertThat(complete("magnet", "jobs", "st")).isEqualTo("stop");
        assertThat(folder.resolve("run")).doesNotExist();
    }
}
