// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.trace.AbiFormat;
import magnet.trace.ProcessNames;
import magnet.trace.Rotation;
import magnet.trace.SavedTrace;
import magnet.trace.TraceClock;
import magnet.trace.TraceOwners;
import magnet.trace.TraceReader;
import magnet.trace.TraceWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In the wide layout, whose header has 32 bytes: size, cpu, event, tgid, tid, abstract id, timer. */
final class CutTraceTest {
    private static final int HEADER = 32;
    private static final long KHZ = 1_000_000;
    private static final TraceWriter.Origin ORIGIN = new TraceWriter.Origin(
            RecordLayout.WIDE, TraceClock.of(false, KHZ, 0, 1_795_000_000_000_000_000L), 1, "n1", "x86_64", Map.of());

    @TempDir
    private Path folder;

    private final ByteBuffer batch = ByteBuffer.allocateDirect(1 << 20).order(ByteOrder.nativeOrder());

    /** The wall clock is the timer here. */
    private long now;

    private long begin;
    private long end = Long.MAX_VALUE;
    private int asked;
    private int cpu;

    private CutTrace trace(Rotation rotation, @Nullable Set<String> ownerPoints) {
        return new CutTrace(
                RecordLayout.WIDE,
                new CutTrace.Cuts() {
                    @Override
                    public boolean hasBegun() {
                        return now >= begin;
                    }

                    @Override
                    public long begin() {
                        asked++;
                        return begin;
                    }

                    @Override
                    public boolean hasEnded() {
                        return now >= end;
                    }

                    @Override
                    public long end() {
                        return end;
                    }
                },
                () -> SavedTrace.goOn(
                        folder.resolve("trace"),
                        rotation,
                        () -> ORIGIN,
                        () -> AbiFormat.lines(RecordLayout.WIDE, Map.of()),
                        Map::of,
                        System::nanoTime),
                new ProcessNames(folder),
                ownerPoints,
                Set.of());
    }

    private void put(EventType type, int tgid, long timer, long word) {
        int size = HEADER + (type.payload().size() + 7) / 8 * 8;
        int at = batch.position();
        batch.putInt(at, size).putShort(at + 4, (short) cpu).putShort(at + 6, (short) type.id());
        batch.putInt(at + 8, tgid).putInt(at + 12, tgid).putLong(at + 16, tgid).putLong(at + 24, timer);
        for (int i = HEADER; i < size; i++) {
            batch.put(at + i, (byte) 0);
        }
        if (size >= HEADER + Long.BYTES) {
            batch.putLong(at + HEADER, word);
        }
        batch.position(at + size);
    }

    private void hand(CutTrace to, int cpu) throws IOException {
        to.onBatch(cpu, batch, 0, batch.position());
        batch.clear();
    }

    private static final Rotation ONE_PART = new Rotation(1L << 40, null, 0, 0);

    private List<Long> timers(String part) throws IOException {
        List<Long> timers = new ArrayList<>();
        try (TraceReader reader = TraceReader.open(folder.resolve("trace").resolve(part))) {
            reader.read(record -> timers.add(record.timer()));
        }
        return timers;
    }

    @Test
    void shouldHaveWhatLiesFromTheBeginUpToTheEnd() throws IOException {
        begin = 1_000;
        end = 2_000;
        try (CutTrace trace = trace(ONE_PART, null)) {
            put(EventType.MARKER, 1, 900, 0);
            put(EventType.MARKER, 1, 999, 0);
            hand(trace, 0);
            now = 1_500;
            put(EventType.MARKER, 1, 999, 0);
            put(EventType.MARKER, 1, 1_000, 0);
            put(EventType.MARKER, 1, 1_001, 0);
            hand(trace, 0);
            now = 3_000;
            put(EventType.MARKER, 1, 1_999, 0);
            put(EventType.MARKER, 1, 2_000, 0);
            put(EventType.MARKER, 1, 2_500, 0);
            hand(trace, 0);
            trace.complete();

            assertThat(trace.events()).isEqualTo(3);
        }
        assertThat(timers("000001")).containsExactly(1_000L, 1_001L, 1_999L);
        assertThat(asked).isOne();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldCutAsBruteForceDoesHoweverBatchesFall(long seed) throws IOException {
        Random random = new Random(seed);
        begin = 5_000;
        end = 15_000;
        TreeSet<Long> expected = new TreeSet<>();
        try (CutTrace trace = trace(ONE_PART, null)) {
            long[] last = new long[4];
            while (now < 20_000) {
                now += random.nextInt(800);
                cpu = random.nextInt(last.length);
                while (last[cpu] < now - 210) {
                    // Two CPUs never have the same timer.
                    last[cpu] += 4 + 4 * random.nextInt(50);
                    long timer = last[cpu] + cpu;
                    put(EventType.MARKER, 1, timer, 0);
                    if (timer >= begin && timer < end) {
                        expected.add(timer);
                    }
                }
                hand(trace, cpu);
            }
            trace.complete();
            assertThat(trace.events()).isEqualTo(expected.size());
        }
        List<Long> timers = timers("000001");
        assertThat(timers).hasSize(expected.size());
        assertThat(timers).containsExactlyElementsOf(expected);
    }

    @Test
    void shouldSayWhoseProcessesWereAtTheBegin() throws IOException {
        begin = 1_000;
        try (CutTrace trace = trace(ONE_PART, Set.of())) {
            put(EventType.TASK_ATTACH, 7, 500, 70);
            put(EventType.TASK_ATTACH, 8, 600, 80);
            hand(trace, 0);
            now = 1_500;
            put(EventType.TASK_ATTACH, 7, 1_200, 71);
            put(EventType.MARKER, 7, 1_300, 0);
            hand(trace, 0);
            // Of another CPU, from before the begin, and read after it.
            cpu = 1;
            put(EventType.TASK_ATTACH, 9, 900, 90);
            hand(trace, 1);
            trace.complete();
        }
        try (TraceReader reader = TraceReader.open(folder.resolve("trace/000001"))) {
            assertThat(reader.owners().map(TraceOwners::cgroups)).hasValue(Map.of(7, 70L, 8, 80L, 9, 90L));
        }
        assertThat(timers("000001")).containsExactly(1_200L, 1_300L);
    }

    @Test
    void shouldSayAtTheBeginOfALaterPartWhatHoldsThere() throws IOException {
        try (CutTrace trace = trace(new Rotation(1L, null, 0, 0), Set.of())) {
            put(EventType.TASK_ATTACH, 7, 500, 70);
            hand(trace, 0);
            put(EventType.MARKER, 7, 600, 0);
            hand(trace, 0);
            trace.complete();
            assertThat(trace.parts()).isEqualTo(2);
        }
        try (TraceReader reader = TraceReader.open(folder.resolve("trace/000002"))) {
            assertThat(reader.owners().map(TraceOwners::cgroups)).hasValue(Map.of(7, 70L));
        }
    }

    @Test
    void shouldBeATraceAlsoIfNothingHappened() throws IOException {
        try (CutTrace trace = trace(ONE_PART, null)) {
            trace.complete();
        }

        assertThat(timers("000001")).isEmpty();
    }

    @Test
    void shouldGoOnBehindThePartsThatAreThere() throws IOException {
        for (int i = 1; i <= 2; i++) {
            try (CutTrace trace = trace(ONE_PART, null)) {
                put(EventType.MARKER, 1, i, 0);
                hand(trace, 0);
            }
        }

        assertThat(timers("000001")).containsExactly(1L);
        assertThat(timers("000002")).containsExactly(2L);
    }
}
