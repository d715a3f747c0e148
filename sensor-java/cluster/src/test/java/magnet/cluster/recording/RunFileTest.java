// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import magnet.cluster.wire.Id;
import magnet.os.ClockQuality;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RunFileTest {
    private static final Run RUN =
            new Run(new Id(0x0a1b2c3d00000000L, 5), "net.udp-1", 1_795_808_355_123_456_789L, 30_000_000_000L);

    @TempDir
    private Path folder;

    @Test
    void shouldSayWhatWasWritten() throws IOException {
        Progress progress = new Progress(
                RecordingState.RECORDING,
                RUN.endNs(),
                RUN.atNs() - 49_999_999,
                1_000_007,
                3,
                123_456_789_012L,
                2,
                77_000_001,
                Optional.of(new ClockQuality(true, 812, 11, -12.25)),
                Optional.empty(),
                List.of(new Progress.Gap(1, 1_795_808_355_123_456_789L)),
                "a \"reason\"");
        RunFile file = new RunFile(RUN, progress, 1_795_808_355_999_999_999L);
        Path path = RunFile.in(folder, "n1");

        file.write(path, "n1");

        assertThat(RunFile.read(path)).isEqualTo(file);
        assertThat(folder).isDirectoryContaining("glob:**/n1.json").isDirectoryNotContaining("glob:**.new");
    }

    @Test
    void shouldHaveANameThatTellsWhenAndWhat() {
        assertThat(RUN.name()).isEqualTo("20261127T193915Z-net.udp-1-0a1b2c3d");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "[]", "{\"id\": 7}", "{\"run\": \"x\"", "no"})
    void shouldRefuseWhatIsNone(String text) throws IOException {
        Path path = Files.writeString(folder.resolve("n1.json"), text);

        assertThatThrownBy(() -> RunFile.read(path)).isInstanceOf(IOException.class);
    }
}
