// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.trace.TraceFixture;
import magnet.trace.TraceReader;
import magnet.trace.TraceWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever records say: what is made of them can be decoded, and each slice that begins has an end on its track. */
@Timeout(300)
final class PerfettoMutationTest {
    private static final int ROUNDS = 400;
    private static final int CHANGES_MOST = 40;
    private static final long SEED = 20_261_123;
    private static final int PACKET_HEADER = 56;

    @TempDir
    private Path folder;

    /** A record of each event with some bytes changed, of which most are still records. */
    @Test
    void shouldMakeValidTracesOfRecordsThatWereTamperedWith() throws IOException {
        Random random = new Random(SEED);
        for (RecordLayout layout : RecordLayout.values()) {
            Path trace = folder.resolve(layout.name());
            save(trace, layout);
            byte[] original = Files.readAllBytes(trace.resolve("cpu0"));
            long events = 0;
            for (int round = 0; round < ROUNDS; round++) {
                byte[] bytes = original.clone();
                for (int change = random.nextInt(CHANGES_MOST); change > 0; change--) {
                    bytes[PACKET_HEADER + random.nextInt(bytes.length - PACKET_HEADER)] = (byte) random.nextInt();
                }
                Files.write(trace.resolve("cpu0"), bytes);
                events += export(trace);
            }
            assertThat(events).as("seed %d", SEED).isGreaterThan(ROUNDS * 10L);
        }
    }

    @FuzzTest(maxDuration = "60s")
    void shouldMakeValidTracesOfAnyPackets(byte[] data) throws IOException {
        for (RecordLayout layout : RecordLayout.values()) {
            Path trace = Files.createTempDirectory("magnet-fuzz-");
            try {
                TraceFixture.writer(trace, layout).close();
                Files.write(trace.resolve("cpu0"), data);
                export(trace);
            } finally {
                Files.deleteIfExists(trace.resolve("cpu0"));
                Files.deleteIfExists(trace.resolve("metadata"));
                Files.delete(trace);
            }
        }
    }

    private static void save(Path trace, RecordLayout layout) throws IOException {
        try (TraceWriter writer = TraceFixture.writer(trace, layout)) {
            ByteBuffer all = ByteBuffer.allocateDirect(1 << 17).order(ByteOrder.nativeOrder());
            for (int i = 0; i < 3; i++) {
                RecordWriter records = TraceFixture.everything(layout, 0, 1_000L * i);
                all.put(records.bytes());
            }
            writer.write(0, all, 0, all.position());
        }
    }

    private static long export(Path folder) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (TraceReader trace = TraceReader.open(folder)) {
            PerfettoTrace perfetto = new PerfettoTrace(trace, trace.words(), process -> "job" + process % 3, out);
            trace.read(perfetto);
            perfetto.finish();
            assertThat(new Shown(out.toByteArray()).packets).isNotEmpty();
            return perfetto.events();
        }
    }
}
