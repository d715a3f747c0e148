// SPDX-License-Identifier: Apache-2.0
package magnet.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import magnet.control.FakeModule;
import magnet.control.MagnetControl;
import magnet.magnetfs.BufferDirectory;
import magnet.testing.Fifo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class SaveFolderTest {
    private static final InstantSource NOW = InstantSource.fixed(Instant.parse("2026-09-21T14:13:20.125Z"));
    private static final long MIB = 1 << 20;

    @TempDir
    private Path folder;

    private Path traces;
    private Fifo fifo;
    private MagnetControl control;
    private RecorderSave save;

    @BeforeEach
    void prepare() throws IOException {
        traces = folder.resolve("traces");
        Path data = Files.createDirectories(folder.resolve("data"));
        fifo = Fifo.create(data.resolve("cpu0"));
        control = new FakeModule().naming().recorder("box", "udp_sendmsg").open();
        save = new RecorderSave(
                control,
                new RecorderSave.Machine(
                        buffer -> new BufferDirectory(data), folder.resolve("proc"), folder.resolve("format")));
    }

    @AfterEach
    void close() throws IOException {
        control.close();
        fifo.close();
    }

    private void old(String name, int bytes) throws IOException {
        Path trace = Files.createDirectories(traces.resolve(name));
        Files.write(trace.resolve("cpu0"), new byte[bytes]);
    }

    private Saved save(int most, long bytes, long free) throws IOException {
        return new SaveFolder(traces, "box", new SaveFolder.Bounds(most, bytes, free), NOW).save(save);
    }

    private List<String> there() throws IOException {
        try (Stream<Path> all = Files.list(traces)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldRemoveTheOldestOfItsRecorderWhenThereAreTooMany() throws IOException {
        for (int i = 1; i < 4; i++) {
            old("box-2026092%dT000000.000Z".formatted(i - 1), 10);
        }
        old("other-20260101T000000.000Z", 10);
        old("box-mine", 10);
        assertThat(save(3, 64 * MIB, 0).folder()).isEqualTo(traces.resolve("box-20260921T141320.125Z"));
        assertThat(there())
                .containsExactly(
                        "box-20260921T000000.000Z",
                        "box-20260921T141320.125Z",
                        "box-20260922T000000.000Z",
                        "box-mine",
                        "other-20260101T000000.000Z");
    }

    @Test
    void shouldRemoveTheOldestWhenTheyAreTooLarge() throws IOException {
        old("box-20260919T000000.000Z", (int) (2 * MIB));
        old("box-20260920T000000.000Z", (int) MIB);
        save(10, 3 * MIB, 0);
        assertThat(there()).containsExactly("box-20260920T000000.000Z", "box-20260921T141320.125Z");
    }

    @Test
    void shouldRemoveNothingWhereThatWouldNotBeEnough() throws IOException {
        old("box-20260919T000000.000Z", 10);
        assertThatThrownBy(() -> save(10, 64 * MIB, 1L << 60))
                .isInstanceOf(RecorderException.class)
                .hasMessageContaining("are to stay free; flight recorder box still has all");
        assertThatThrownBy(() -> save(10, MIB, 0))
                .isInstanceOf(RecorderException.class)
                .hasMessageContaining("may take no more than " + MIB);
        assertThat(there()).containsExactly("box-20260919T000000.000Z");
    }
}
