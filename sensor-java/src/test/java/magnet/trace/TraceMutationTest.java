// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a trace consists of: it is read to its end or refused in one line, and each record lies within what was read. */
@Timeout(300)
final class TraceMutationTest {
    private static final int ROUNDS = 3_000;
    private static final long SEED = 20_261_122;

    @TempDir
    private Path folder;

    /** Traces of both layouts with some bytes changed, doubled, cut out or cut off, in packets and metadata alike. */
    @Test
    void shouldSurviveTracesThatWereTamperedWith() throws IOException {
        for (RecordLayout layout : RecordLayout.values()) {
            Path original = folder.resolve(layout.name());
            try (TraceWriter writer = TraceFixture.writer(original, layout)) {
                writer.own(new TraceOwners(
                        Set.of("task_attach", "cgroup_mkdir"),
                        Map.of(7, 500L, 8, 501L),
                        Map.of(500L, "/a/job_1", 501L, "/b\u00fc")));
                for (int packet = 0; packet < 4; packet++) {
                    TraceFixture.write(
                            writer, packet % 2, TraceFixture.everything(layout, packet % 2, 1_000L * packet));
                }
            }
            byte[] metadata = Files.readAllBytes(original.resolve("metadata"));
            byte[] packets = Files.readAllBytes(original.resolve("cpu0"));
            Random random = new Random(SEED);
            int read = 0;
            for (int round = 0; round < ROUNDS; round++) {
                boolean ofMetadata = round % 4 == 0;
                byte[] description = ofMetadata ? mutated(metadata, random) : metadata;
                byte[] stream = ofMetadata ? packets : mutated(packets, random);
                read += survives(original, description, stream, "seed " + SEED + " round " + round) ? 1 : 0;
            }
            assertThat(read).as("most are still traces").isGreaterThan(ROUNDS / 2);
        }
    }

    @FuzzTest(maxDuration = "60s")
    void shouldSurviveAnyPackets(byte[] data) throws IOException {
        for (RecordLayout layout : RecordLayout.values()) {
            Path trace = Files.createTempDirectory("magnet-fuzz-");
            try {
                TraceFixture.writer(trace, layout).close();
                survives(trace, Files.readAllBytes(trace.resolve("metadata")), data, "packets");
            } finally {
                delete(trace);
            }
        }
    }

    @FuzzTest(maxDuration = "60s")
    void shouldSurviveAnyMetadata(byte[] data) {
        try {
            MetadataReader.read(new String(data, StandardCharsets.ISO_8859_1), "metadata");
        } catch (TraceFormatException e) {
            check(e.getMessage().indexOf('\n') < 0, "one line");
        }
    }

    private static boolean survives(Path trace, byte[] metadata, byte[] stream, String what) throws IOException {
        Files.write(trace.resolve("metadata"), metadata);
        Files.write(trace.resolve("cpu0"), stream);
        try (TraceReader reader = TraceReader.open(trace)) {
            RuleFilter filter = new RuleFilter(
                    reader,
                    "drop if len == 3 and dport in 5,7-9; sample 2 if saddr == 10.0.0.0/8; every 5us",
                    TraceMutationTest::look);
            long most = stream.length / 24 + 4L * 60;
            long count = reader.read(filter);
            check(count <= most, "no record twice: " + what);
            copies(trace, count, what);
            return true;
        } catch (TraceFormatException | RuleException e) {
            check(e.getMessage().indexOf('\n') < 0, "one line: " + what);
            return false;
        } catch (RuntimeException e) {
            throw new AssertionError(what, e);
        }
    }

    /** A copy has the same records, and nothing else. */
    private static void copies(Path trace, long count, String what) throws IOException {
        Path to = trace.resolve("copy");
        try (UnfinishedFolder out = new UnfinishedFolder(to);
                TraceReader reader = TraceReader.open(trace);
                TraceCopy copy = new TraceCopy(reader, out, "")) {
            check(reader.read(copy) == count, "read alike: " + what);
            copy.end();
            copy.describe();
            try (TraceReader copied = TraceReader.open(to)) {
                check(copied.read(TraceMutationTest::look) == count, "all of it: " + what);
                check(copied.defects().isEmpty(), "no damage: " + what);
            }
        }
        check(!Files.exists(to), "removed: " + what);
    }

    private static void look(RecordFlyweight record) {
        check(
                record.offset() >= 0
                        && record.offset() + record.size() <= record.buffer().capacity(),
                "within the window");
        check(record.cpu() <= 1, "of its CPU");
    }

    private static byte[] mutated(byte[] original, Random random) {
        byte[] bytes = original.clone();
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes && bytes.length > 0; i++) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(6)) {
                case 0 -> bytes[at] = (byte) random.nextInt();
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes[at] = (byte) (random.nextBoolean() ? 0 : -1);
                case 3 -> bytes = Arrays.copyOf(bytes, at);
                case 4 -> bytes = without(bytes, at, Math.min(bytes.length, at + 1 + random.nextInt(64)));
                default -> System.arraycopy(bytes, at, bytes, at / 2, Math.min(64, bytes.length - at));
            }
        }
        return bytes;
    }

    private static byte[] without(byte[] bytes, int from, int to) {
        byte[] shorter = Arrays.copyOf(bytes, bytes.length - (to - from));
        System.arraycopy(bytes, to, shorter, from, bytes.length - to);
        return shorter;
    }

    private static void delete(Path trace) throws IOException {
        try (var files = Files.newDirectoryStream(trace)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(trace);
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
