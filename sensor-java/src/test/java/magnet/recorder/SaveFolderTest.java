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
                        buffer -> new BufferDirectory(data), folder.resolve("proc"), folder.resolve("format"), folder));
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

    /** A disk of so many bytes, of which only the traces take any. */
    private SaveFolder onDiskOf(long bytes, int most) {
        SaveFolder.Disk disk = there -> bytes - bytesIn(there);
        return new SaveFolder(traces, "box", new SaveFolder.Bounds(most, 64 * MIB, 0), NOW, disk);
    }

    private static long bytesIn(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    @Test
    void shouldRemoveForRoomOnTheDiskNoMoreThanItTakesAndSaySo() throws IOException {
        for (int i = 0; i < 3; i++) {
            old("box-2026091%dT000000.000Z".formatted(i), (int) (2 * MIB));
        }
        Saved saved = onDiskOf(6 * MIB + 1, 10).save(save);
        assertThat(there())
                .containsExactly("box-20260911T000000.000Z", "box-20260912T000000.000Z", "box-20260921T141320.125Z");
        assertThat(saved.removed()).isEqualTo(1);
        assertThat(saved.text()).endsWith("; 1 older trace was removed");
    }

    @Test
    void shouldRemoveNothingForASaveThatFails() throws IOException {
        old("box-20260919T000000.000Z", (int) (2 * MIB));
        old("box-20260920T000000.000Z", 10);
        try (MagnetControl busy = new FakeModule()
                .naming()
                .recorder("box", "udp_sendmsg")
                .saving()
                .open()) {
            RecorderSave refused = new RecorderSave(
                    busy,
                    new RecorderSave.Machine(
                            buffer -> new BufferDirectory(folder),
                            folder.resolve("proc"),
                            folder.resolve("format"),
                            folder));
            assertThatThrownBy(() -> onDiskOf(64 * MIB, 1).save(refused)).hasMessageContaining("by another command");
            assertThat(there()).containsExactly("box-20260919T000000.000Z", "box-20260920T000000.000Z");

            assertThatThrownBy(() -> onDiskOf(2 * MIB, 1).save(refused))
                    .hasMessageContaining("by another command")
                    .hasMessageEndingWith("; older traces that were removed to make room: 1");
        }
        assertThat(there()).as("what the disk's room took").containsExactly("box-20260920T000000.000Z");
    }

    /** As long as somebody saves it, that is known before anything is removed. */
    @Test
    void shouldRemoveNothingWhereASnapshotIsInTheWay() throws IOException {
        old("box-20260919T000000.000Z", (int) (2 * MIB));
        try (MagnetControl busy = new FakeModule()
                .naming()
                .recorder("box", "udp_sendmsg")
                .beside("box.save", true)
                .open()) {
            RecorderSave refused = new RecorderSave(
                    busy,
                    new RecorderSave.Machine(
                            buffer -> new BufferDirectory(folder),
                            folder.resolve("proc"),
                            folder.resolve("format"),
                            folder));
            assertThatThrownBy(() -> onDiskOf(2 * MIB, 1).save(refused)).hasMessageContaining("a buffer box.save");
        }
        assertThat(there()).containsExactly("box-20260919T000000.000Z");
    }

    @Test
    void shouldPassOverWhatItCannotRemoveAndSaySo() throws IOException {
        old("box-20260918T000000.000Z/mine", 10);
        old("box-20260919T000000.000Z", 10);
        Files.createFile(traces.resolve("box-20260918T000000.000Z/mine/x"));
        Saved saved = onDiskOf(64 * MIB, 1).save(save);
        assertThat(there()).containsExactly("box-20260918T000000.000Z", "box-20260921T141320.125Z");
        assertThat(saved.text())
                .endsWith("; 1 older trace was removed; not removed: " + traces
                        + "/box-20260918T000000.000Z/mine: the folder is not empty");
    }

    /** What comes in between the look at the recorder and its snapshot has room, too. */
    @Test
    void shouldWantRoomForMoreThanTheRecorderHoldsWhenItIsLookedAt() throws IOException {
        assertThatThrownBy(() -> onDiskOf(MIB + 4_000, 1).save(save))
                .isInstanceOf(RecorderException.class)
                .hasMessageContaining("the trace may take " + (1024 + 256) + " KiB");
        save.save("box", folder.resolve("b"), 0);
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
