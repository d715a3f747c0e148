// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import magnet.agent.AgentHealth;
import magnet.control.FakeModule;
import magnet.control.MagnetControl;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.CollectorSettings;
import magnet.os.MonotonicClock;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.RecordWriter;
import magnet.testing.Fifo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The made-up module's buffers have 256 KiB for each CPU. */
@Timeout(60)
final class OwnBufferTest {
    private static final CollectorSettings SETTINGS =
            new CollectorSettings(16 * 1024, 0, Duration.ZERO, Duration.ZERO, Duration.ofHours(1), null);

    private final FakeModule module = new FakeModule();

    @TempDir
    private Path folder;

    private OwnBuffer buffer(MagnetControl control, long bytes) throws IOException {
        return OwnBuffer.create(control, control.info(), name -> new BufferDirectory(folder), "magnetd", bytes);
    }

    private OwnBuffer bufferSoon(MagnetControl control, Duration longest, BooleanSupplier isOver) throws IOException {
        return OwnBuffer.createSoon(
                control, control.info(), name -> new BufferDirectory(folder), "mine", 65_536, longest, isOver);
    }

    @Test
    void shouldWaitForTheEndOfTheLastOnes() throws IOException {
        module.taken(3);
        try (MagnetControl control = module.open()) {
            assertThat(bufferSoon(control, Duration.ofSeconds(30), () -> false).name())
                    .isEqualTo("mine");
        }
    }

    @Test
    void shouldNotWaitForEverNorWhenNobodyWantsItAnyMore() throws IOException {
        module.taken(Integer.MAX_VALUE);
        try (MagnetControl control = module.open()) {
            assertThatThrownBy(() -> bufferSoon(control, Duration.ofMillis(60), () -> false))
                    .hasMessageContaining("there is one");
            assertThatThrownBy(() -> bufferSoon(control, Duration.ofDays(1), () -> true))
                    .hasMessageContaining("there is one");
        }
    }

    @Test
    void shouldAskTheKernelHowLargeItIsNow() throws IOException {
        try (MagnetControl control = module.open()) {
            OwnBuffer buffer = buffer(control, 65_536);
            assertThat(buffer.ringBytes()).isEqualTo(262_144);
            module.idle();
            assertThat(buffer.ringBytes()).as("as it was made, rounded up").isEqualTo(131_072);
        }
    }

    /** Another client has busy points log into the service's buffer, and nobody ends those. */
    @Test
    void shouldEndThoughSomebodyElseLogsIntoItWithoutEnd() throws IOException {
        AtomicLong read = new AtomicLong();
        try (MagnetControl control = module.open();
                Fifo fifo = Fifo.create(folder.resolve("cpu0"))) {
            OwnBuffer buffer = buffer(control, 262_144);
            ClockModel clock = control.info().clockModel();
            // More than one read takes: there is always something left.
            for (int i = 0; i < 1_000; i++) {
                log(fifo, clock);
            }
            try (CollectorSource source = buffer.read(
                            record -> {
                                read.addAndGet(record.size());
                                log(fifo, clock);
                            },
                            clock,
                            SETTINGS);
                    MeasuringCore core =
                            new MeasuringCore("test-conductor", source, MonotonicClock.SYSTEM, AgentHealth.unheard())) {
                core.end(() -> {});
            }
        }
        assertThat(read).as("what a ring holds").hasValueGreaterThanOrEqualTo(262_144);
    }

    private static void log(Fifo fifo, ClockModel clock) {
        long now = clock.timerAtMonotonic(System.nanoTime());
        try {
            fifo.write(new RecordWriter()
                    .record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, now)
                    .bytes());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
