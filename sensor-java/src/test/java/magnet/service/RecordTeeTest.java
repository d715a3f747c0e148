// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
    private final List<Long> passed = new ArrayList<>();

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
        String values = ", \"lost\": 7, \"values\": {\"magnet_process_execs_rate\": 1.25}}";
        assertThat(Files.readAllLines(folder.resolve("tee/windows.jsonl")))
                .containsExactly(
                        line("00", 0.5, 0, 40) + values,
                        line("01", 1.5, 0, 80) + values,
                        line("02", 2.5, 40, 120) + values,
                        line("03", 3.5, 80, 160) + values);
    }

    @Test
    void shouldOnlyHandOnWhatComesBeforeTheFirstWindow(@TempDir Path folder) throws Exception {
        try (RecordTee tee = new RecordTee(folder.resolve("tee"), 2, record -> passed.add(record.timer()))) {
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
        try (LogLines lines = new LogLines(RecordTee.class)) {
            try (RecordTee written = tee(folder)) {
                for (int i = 0; i < count; i++) {
                    written.onRecord(record(i));
                    if (i % 1_000 == 0) {
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

    private RecordTee tee(Path folder) throws ServiceException {
        RecordTee tee = new RecordTee(folder.resolve("tee"), 2, record -> passed.add(record.timer()));
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
