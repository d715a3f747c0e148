// SPDX-License-Identifier: Apache-2.0
package magnet.tee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import magnet.agent.AgentHealth;
import magnet.metric.MetricSnapshot;
import magnet.metric.ProcessMetrics;
import magnet.publish.LogLines;
import magnet.record.RecordCursor;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordTeeTest {
    private static final int RECORD_BYTES = 40;

    private final List<Long> passed = new ArrayList<>();
    private final AgentHealth health = AgentHealth.unheard();

    @Test
    void shouldKeepEveryRecordWhenTheyOutgrowTheBuffer(@TempDir Path folder) throws Exception {
        int count = 50_000;
        try (RecordTee tee = tee(folder)) {
            for (int i = 0; i < count; i++) {
                tee.onRecord(record(i));
            }
        }
        byte[] bytes = Files.readAllBytes(folder.resolve("tee/records.raw"));
        ByteBuffer batch = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        List<Long> timers = new ArrayList<>();
        RecordCursor cursor = new RecordCursor(RecordLayout.WIDE).wrap(batch, 0, bytes.length);
        cursor.forEach(record -> timers.add(record.timer()));
        assertThat(timers).hasSize(count).isEqualTo(passed);
    }

    @Test
    void shouldSayWhichBytesMakeAWindowWhenSlotsMoveOn(@TempDir Path folder) throws Exception {
        try (RecordTee tee = tee(folder)) {
            for (int slot = 0; slot < 4; slot++) {
                tee.onRecord(record(slot));
                tee.onWindow(
                        tee.mark(7),
                        MetricSnapshot.of(Instant.ofEpochSecond(slot), slot + 0.5, List.of(ProcessMetrics.EXECS))
                                .put(ProcessMetrics.EXECS, 1.25)
                                .build());
            }
        }
        String values = ", \"lost\": 7, \"unwritten\": 0, \"values\": {\"magnet_process_execs_rate\": 1.25}}";
        assertThat(Files.readAllLines(folder.resolve("tee/windows.jsonl")))
                .containsExactly(
                        line("00", 0.5, 0, 40) + values,
                        line("01", 1.5, 0, 80) + values,
                        line("02", 2.5, 40, 120) + values,
                        line("03", 3.5, 80, 160) + values);
    }

    @Test
    void shouldOnlyHandOnWhatComesBeforeTheFirstWindow(@TempDir Path folder) throws Exception {
        try (RecordTee tee = new RecordTee(folder.resolve("tee"), 2, record -> passed.add(record.timer()), health)) {
            tee.onRecord(record(1));
            tee.begin();
            tee.onRecord(record(2));
        }
        assertThat(passed).containsExactly(1L, 2L);
        assertThat(folder.resolve("tee/records.raw")).hasSize(40);
    }

    /** All records go on to be handed on, also those that fill the buffer again and again. */
    @ParameterizedTest
    @ValueSource(strings = {"records.raw", "windows.jsonl"})
    void shouldBeClosedAndSaidOnceWhenTheDiskIsFull(String name, @TempDir Path folder) throws Exception {
        Path tee = Files.createDirectory(folder.resolve("tee"));
        Files.createSymbolicLink(tee.resolve(name), Path.of("/dev/full"));
        int count = 20_000;
        try (LogLines lines = new LogLines(TeeWriter.class)) {
            try (RecordTee written = tee(folder)) {
                for (int i = 0; i < count; i++) {
                    written.onRecord(record(i));
                    if (i % 5_000 == 0) {
                        written.onWindow(
                                written.mark(0),
                                MetricSnapshot.of(Instant.EPOCH, 1, List.of(ProcessMetrics.EXECS))
                                        .put(ProcessMetrics.EXECS, 1)
                                        .build());
                    }
                }
            }
            assertThat(lines.lines())
                    .containsExactly(
                            "ERROR tee-directory " + tee.resolve(name) + ": cannot be written: No space left on"
                                    + " device; nothing more is written there, all else goes on");
        }
        assertThat(passed).hasSize(count);
    }

    /** A file whose disk does not answer before it is told to. */
    private static final class StuckFile implements WritableByteChannel {
        private final WritableByteChannel file;
        private final CountDownLatch answers;

        StuckFile(WritableByteChannel file, CountDownLatch answers) {
            this.file = file;
            this.answers = answers;
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            try {
                answers.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return file.write(bytes);
        }

        @Override
        public boolean isOpen() {
            return file.isOpen();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private static WritableByteChannel create(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private static MetricSnapshot snapshot() {
        return MetricSnapshot.of(Instant.EPOCH, 1, List.of(ProcessMetrics.EXECS))
                .put(ProcessMetrics.EXECS, 1)
                .build();
    }

    /** The thread that hands over goes on; what finds no room is counted, and what was handed over is there in the end. */
    @Test
    void shouldNotWaitForADiskThatDoesNotAnswer(@TempDir Path folder) throws Exception {
        int room = TeeWriter.CHUNKS * (TeeWriter.CHUNK_BYTES / RECORD_BYTES);
        int more = 1_009;
        CountDownLatch answers = new CountDownLatch(1);
        try (LogLines lines = new LogLines(TeeWriter.class)) {
            try (RecordTee tee = new RecordTee(
                    folder,
                    2,
                    record -> passed.add(record.timer()),
                    health,
                    file -> new StuckFile(create(file), answers))) {
                tee.begin();
                for (int i = 0; i < room + more; i++) {
                    tee.onRecord(record(i));
                }
                assertThat(passed).hasSize(room + more);
                assertThat(folder.resolve(TeeWriter.RECORDS)).isEmptyFile();
                tee.onWindow(tee.mark(0), snapshot());
                answers.countDown();
                await().until(() -> !lines.lines().isEmpty()
                        && Files.size(folder.resolve(TeeWriter.RECORDS)) == (long) room * RECORD_BYTES);
                tee.onRecord(record(1));
                tee.onWindow(tee.mark(0), snapshot());
            }
            assertThat(Files.readAllLines(folder.resolve(TeeWriter.WINDOWS)))
                    .satisfiesExactly(
                            first -> assertThat(first)
                                    .contains("\"to_byte\": " + room * RECORD_BYTES, "\"unwritten\": " + more),
                            second -> assertThat(second)
                                    .contains("\"to_byte\": " + (room + 1) * RECORD_BYTES, "\"unwritten\": 0"));
            assertThat(lines.lines()).singleElement().asString().contains("the disk is too slow");
        }
    }

    @Test
    void shouldAllocateNothingPerRecord(@TempDir Path folder) throws Exception {
        try (RecordTee tee = new RecordTee(folder, 2, record -> {}, health)) {
            tee.begin();
            RecordFlyweight record = record(1);
            allocated(tee, record);
            long few = allocated(tee, record);
            assertThat(few).as("bytes for 50,000 records").isLessThan(10_000);
        }
    }

    private static long allocated(RecordTee tee, RecordFlyweight record) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 50_000; i++) {
            tee.onRecord(record);
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private RecordTee tee(Path folder) throws IOException {
        RecordTee tee = new RecordTee(folder.resolve("tee"), 2, record -> passed.add(record.timer()), health);
        tee.begin();
        return tee;
    }

    private static String line(String second, double window, long from, long to) {
        return "{\"taken\": \"1970-01-01T00:00:" + second + "Z\", \"window_seconds\": " + window + ", \"from_byte\": "
                + from + ", \"to_byte\": " + to;
    }

    private static RecordFlyweight record(long timer) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
        buffer.putInt(8, 40).putLong(8 + 24, timer);
        return new RecordFlyweight(RecordLayout.WIDE).wrap(buffer, 8);
    }
}
