// SPDX-License-Identifier: Apache-2.0
package magnet.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import magnet.agent.AgentHealth;
import magnet.config.RecorderChoice;
import magnet.control.FakeModule;
import magnet.control.MagnetControl;
import magnet.control.NoticeListener;
import magnet.magnetfs.BufferDirectory;
import magnet.testing.Fifo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class TriggeredSavesTest {
    private final FakeModule module = new FakeModule().naming().recorder("box", "udp_sendmsg");
    private final AtomicLong millis =
            new AtomicLong(Instant.parse("2026-09-21T14:13:20.125Z").toEpochMilli());

    @TempDir
    private Path folder;

    private Path traces;
    private Fifo fifo;

    @BeforeEach
    void prepare() throws IOException {
        traces = folder.resolve("traces");
        Files.createDirectories(folder.resolve("data"));
        fifo = Fifo.create(folder.resolve("data/cpu0"));
    }

    @AfterEach
    void closeFifo() throws IOException {
        fifo.close();
    }

    private TriggeredSaves begin(RecorderChoice.When when, Duration pause) {
        InstantSource wall = () -> Instant.ofEpochMilli(millis.get());
        return new TriggeredSaves(
                new RecorderChoice("box", traces, Set.of(when), 10, 1L << 30, 0, pause),
                new Kernel(),
                () -> millis.get() * 1_000_000,
                wall,
                AgentHealth.unheard());
    }

    private final class Kernel implements TriggeredSaves.Kernel {
        @Override
        public MagnetControl control() throws IOException {
            return module.open();
        }

        @Override
        public NoticeListener notices() throws IOException {
            return module.listen();
        }

        @Override
        public RecorderSave.Machine machine() {
            return new RecorderSave.Machine(
                    buffer -> new BufferDirectory(folder.resolve("data")),
                    folder.resolve("proc"),
                    folder.resolve("format"),
                    folder);
        }
    }

    private void awaitTrace(String name) throws InterruptedException {
        Path trace = traces.resolve(name);
        while (!Files.exists(trace.resolve("metadata"))) {
            Thread.sleep(5);
        }
    }

    @Test
    void shouldSaveWhenTheLevelIsRaisedAndNotAgainTooSoon() throws Exception {
        try (TriggeredSaves saves = begin(RecorderChoice.When.RAISED, Duration.ofSeconds(60))) {
            saves.raised();
            awaitTrace("box-20260921T141320.125Z");
            millis.addAndGet(1_000);
            saves.raised();
            while (saves.unsaved() == 0) {
                Thread.sleep(5);
            }
            millis.addAndGet(60_000);
            saves.raised();
            awaitTrace("box-20260921T141421.125Z");
        }
        try (java.util.stream.Stream<Path> all = Files.list(traces)) {
            assertThat(all).hasSize(2);
        }
    }

    @Test
    void shouldSaveAtAnUrgentEventOfItsRecorder() throws Exception {
        module.urgent("udp_sendmsg", 1);
        try (TriggeredSaves saves = begin(RecorderChoice.When.URGENT, Duration.ZERO)) {
            saves.raised();
            awaitTrace("box-20260921T141320.125Z");
            assertThat(saves.unsaved()).isZero();
        }
    }
}
