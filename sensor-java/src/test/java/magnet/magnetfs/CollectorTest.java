// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import magnet.os.DataFile;
import magnet.os.MonotonicClock;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.testing.Fifo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** With pipes in place of data files; a tick is a nanosecond of CLOCK_MONOTONIC. */
@Timeout(60)
@SuppressWarnings("try") // closes within the block, too
final class CollectorTest {
    private static final long MILLI = 1_000_000;
    private static final CollectorSettings PLAIN =
            new CollectorSettings(64 * 1024, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofHours(1), null);

    private final ClockModel clockModel = new ClockModel(1_000_000, 0, 0, 0);
    private final List<Fifo> fifos = new ArrayList<>();
    private final List<Long> handed = new ArrayList<>();
    private long now = 1_000 * MILLI;

    @TempDir
    private Path folder;

    @AfterEach
    void closeFifos() throws IOException {
        for (Fifo fifo : fifos) {
            fifo.close();
        }
    }

    private Fifo addCpu() throws IOException {
        Fifo fifo = Fifo.create(folder.resolve("cpu" + fifos.size()));
        fifos.add(fifo);
        return fifo;
    }

    private Collector open(CollectorSettings settings) throws IOException {
        return open(settings, record -> handed.add(record.timer()), () -> now);
    }

    private Collector open(CollectorSettings settings, RecordHandler handler, MonotonicClock clock) throws IOException {
        return Collector.open(new BufferDirectory(folder), RecordLayout.WIDE, clockModel, handler, settings, clock);
    }

    private static void write(Fifo fifo, int cpu, long... timers) throws IOException {
        RecordWriter writer = new RecordWriter();
        for (long timer : timers) {
            writer.record(EventType.SOFTIRQ_ENTRY, cpu, 1, 1, 3, timer);
        }
        fifo.write(writer.bytes());
    }

    /** A cycle after the hold-back has passed. */
    private int workLater(Collector collector) throws IOException {
        now += 10 * MILLI;
        return collector.doWork(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 33})
    void shouldMergeTheCpusByTime(int cpus) throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Long> expected = new ArrayList<>();
        long[][] timers = new long[cpus][200];
        for (int cpu = 0; cpu < cpus; cpu++) {
            addCpu();
            for (int i = 0; i < timers[cpu].length; i++) {
                timers[cpu][i] = random.nextInt(1_000_000);
                expected.add(timers[cpu][i]);
            }
            Arrays.sort(timers[cpu]);
            write(fifos.get(cpu), cpu, timers[cpu]);
        }
        expected.sort(null);
        try (Collector collector = open(PLAIN)) {
            assertThat(workLater(collector)).isEqualTo(expected.size());
            assertThat(handed).as("seed=" + seed).isEqualTo(expected);
            assertThat(collector.count(CollectorCounter.LATE)).isZero();
            assertThat(collector.count(CollectorCounter.RECORDS)).isEqualTo(200L * cpus);
            assertThat(collector.count(CollectorCounter.READS)).isEqualTo(cpus);
            assertThat(collector.count(CollectorCounter.BYTES)).isEqualTo(6_400L * cpus);
            assertThat(collector.newestTimer()).isEqualTo(expected.get(expected.size() - 1));
            assertThat(collector.cpuCounts()).hasSize(cpus).contains(new CpuCounts(cpus - 1, 200, 6_400, 0));
        }
    }

    /** Each time the oldest of those that are next on a CPU: a record behind a younger one of its CPU has to wait for that. */
    @ParameterizedTest
    @ValueSource(longs = {1_000, 1L << 61})
    void shouldMergeWhatIsNotInOrderOnItsCpu(long span) throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        now = Long.MAX_VALUE / 2;
        long[][] timers = new long[3][300];
        for (int cpu = 0; cpu < timers.length; cpu++) {
            addCpu();
            for (int i = 0; i < timers[cpu].length; i++) {
                timers[cpu][i] = random.nextLong(span);
            }
            write(fifos.get(cpu), cpu, timers[cpu]);
        }
        try (Collector collector = open(PLAIN)) {
            for (int i = 0; i < 3; i++) {
                workLater(collector);
            }
        }
        assertThat(handed).as("seed=" + seed).hasSize(900);
        if (span < 1L << 50) {
            assertThat(handed).as("seed=" + seed).isEqualTo(mergedByHand(timers));
        }
    }

    /** Long runs of one CPU's, of which none of the others' is between two; now and then two CPUs' at the same time. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void shouldMergeRunsOfOneCpu(int cpus) throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        long[][] timers = new long[cpus][];
        for (int cpu = 0; cpu < cpus; cpu++) {
            timers[cpu] = new long[1_500];
            long timer = 0;
            for (int i = 0; i < timers[cpu].length; i++) {
                timer += random.nextInt(400) == 0 ? 1_000 : random.nextInt(2);
                timers[cpu][i] = timer;
            }
            addCpu();
            write(fifos.get(cpu), cpu, timers[cpu]);
        }
        try (Collector collector = open(PLAIN)) {
            assertThat(workLater(collector)).isEqualTo(1_500 * cpus);
            assertThat(handed).as("seed=" + seed).isEqualTo(mergedByHand(timers));
            assertThat(collector.count(CollectorCounter.LATE)).isZero();
            assertThat(collector.cpuCounts()).extracting(CpuCounts::records).containsOnly(1_500L);
        }
    }

    /** Such runs are handed on at once; what the collector has to know in between is not passed over. */
    @Test
    void shouldSeeLossWithinARun() throws IOException {
        Fifo fifo = addCpu();
        RecordWriter writer = new RecordWriter();
        for (int i = 0; i < 600; i++) {
            if (i % 150 == 70) {
                writer.record(EventType.LOST, 0, 0, 0, 0, i, 1, i, i);
            } else {
                writer.record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, i);
            }
        }
        fifo.write(writer.bytes());
        try (Collector collector = open(PLAIN)) {
            assertThat(workLater(collector)).isEqualTo(600);
            assertThat(collector.count(CollectorCounter.LOST)).isEqualTo(4);
            assertThat(handed).isSorted();
        }
    }

    /** What has been read is known up to the last record of the batch, and not to what only looks like one. */
    @Test
    void shouldNotBelieveTheTimeOfAMalformedRecordAtTheEndOfABatch() throws IOException {
        Fifo first = addCpu();
        Fifo second = addCpu();
        CollectorSettings settings =
                new CollectorSettings(32 * 1024, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofHours(1), null);
        int inBatch = settings.batchBytes() / RecordLayout.WIDE.headerSize();
        RecordWriter batch = new RecordWriter();
        for (int i = 1; i < inBatch; i++) {
            batch.record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, i);
        }
        batch.record(EventType.SOFTIRQ_ENTRY, 65_535, 1, 1, 3, now);
        first.write(batch.bytes());
        write(first, 0, LongStream.range(inBatch, inBatch + 500).toArray());
        write(second, 1, inBatch + 250);
        try (Collector collector = open(settings)) {
            workLater(collector);
            workLater(collector);
            assertThat(handed).hasSize(inBatch + 500).isSorted();
            assertThat(collector.count(CollectorCounter.LATE)).isZero();
            assertThat(collector.count(CollectorCounter.MALFORMED)).isEqualTo(1);
        }
    }

    private static List<Long> mergedByHand(long[][] timers) {
        List<Long> merged = new ArrayList<>();
        int[] next = new int[timers.length];
        while (true) {
            int first = -1;
            for (int cpu = 0; cpu < timers.length; cpu++) {
                if (next[cpu] < timers[cpu].length
                        && (first < 0 || timers[cpu][next[cpu]] < timers[first][next[first]])) {
                    first = cpu;
                }
            }
            if (first < 0) {
                return merged;
            }
            merged.add(timers[first][next[first]++]);
        }
    }

    @Test
    void shouldHoldARecordBackUntilNoOlderOneCanCome() throws IOException {
        Fifo first = addCpu();
        Fifo second = addCpu();
        try (Collector collector = open(PLAIN)) {
            write(first, 0, now - MILLI);
            assertThat(collector.doWork(0)).isZero();
            now += MILLI;
            write(second, 1, now - 2 * MILLI + 1);
            assertThat(collector.doWork(0)).isZero();
            assertThat(workLater(collector)).isEqualTo(2);
            assertThat(handed).isSorted();
            assertThat(collector.count(CollectorCounter.LATE)).isZero();
        }
    }

    /** Says how far every file is complete, and of nothing else. */
    private static FileAttributes tellingCompleteTo(LongSupplier timer) {
        return new FileAttributes() {
            @Override
            public void set(DataFile file, Attribute attribute, long value) {}

            @Override
            public long get(DataFile file, Attribute attribute) {
                return attribute == Attribute.COMPLETE_TO ? timer.getAsLong() : 0;
            }
        };
    }

    private Collector openTelling(LongSupplier completeTo, MonotonicClock clock) throws IOException {
        return openTelling(completeTo, record -> handed.add(record.timer()), clock);
    }

    private Collector openTelling(LongSupplier completeTo, RecordHandler handler, MonotonicClock clock)
            throws IOException {
        return Collector.open(
                new BufferDirectory(folder),
                RecordLayout.WIDE,
                clockModel,
                handler,
                PLAIN.withLatest(Duration.ofMillis(1)),
                clock,
                tellingCompleteTo(completeTo));
    }

    /**
     * The clock has been slewed by a tenth since the last CLOCK record, 10 s ago: by it the timer is a second further than it
     * is. A file that says how far it is complete is believed; one that can't hands on what older records will follow.
     */
    @ParameterizedTest
    @CsvSource({"true, 0", "false, 1"})
    void shouldNotTakeTheClocksWordForHowFarTheTimerIs(boolean tells, int late) throws IOException {
        Fifo first = addCpu();
        Fifo second = addCpu();
        long timer = now + 9_000 * MILLI;
        now += 10_000 * MILLI;
        AtomicLong completeTo = new AtomicLong(timer - 2 * MILLI);
        try (Collector collector = tells ? openTelling(completeTo::get, () -> now) : open(PLAIN)) {
            write(first, 0, timer);
            collector.readNow();
            write(second, 1, timer - MILLI);
            completeTo.set(timer);
            collector.readNow();
            assertThat(handed).containsExactlyInAnyOrder(timer - MILLI, timer);
            assertThat(collector.count(CollectorCounter.LATE)).isEqualTo(late);
        }
    }

    @Test
    void shouldCountALateRecordAndHandItOn() throws IOException {
        Fifo first = addCpu();
        Fifo second = addCpu();
        try (Collector collector = open(PLAIN)) {
            write(first, 0, now);
            assertThat(workLater(collector)).isEqualTo(1);
            write(second, 1, now - 20 * MILLI, now - 19 * MILLI);
            assertThat(workLater(collector)).isEqualTo(2);
            assertThat(collector.count(CollectorCounter.LATE)).isEqualTo(2);
            write(first, 0, now);
            workLater(collector);
            assertThat(handed).hasSize(4);
            assertThat(collector.count(CollectorCounter.LATE)).isEqualTo(2);
        }
    }

    @Test
    void shouldNotSleepLongerThanTheHoldBackWhileARecordIsKept() throws IOException {
        Fifo first = addCpu();
        try (Collector collector = open(PLAIN, record -> handed.add(record.timer()), MonotonicClock.SYSTEM)) {
            write(first, 0, System.nanoTime());
            while (handed.isEmpty()) {
                collector.doWork(Integer.MAX_VALUE);
            }
            assertThat(handed).hasSize(1);
        }
    }

    @Test
    void shouldCountLossPerCpuAndRenewTheClock() throws IOException {
        Fifo first = addCpu();
        Fifo second = addCpu();
        RecordWriter writer = new RecordWriter();
        writer.record(EventType.LOST, 1, 0, 0, 0, 100, 40, 50, 60);
        writer.record(EventType.CLOCK, 1, 0, 0, 0, 110, 5_000, 110, 0);
        writer.record(EventType.LOST, 1, 0, 0, 0, 120, 2, 110, 115);
        second.write(writer.bytes());
        write(first, 0, 105);
        try (Collector collector = open(PLAIN)) {
            assertThat(workLater(collector)).isEqualTo(4);
            assertThat(collector.count(CollectorCounter.LOST)).isEqualTo(42);
            assertThat(collector.cpuCounts()).extracting(CpuCounts::lost).containsExactly(0L, 42L);
            assertThat(clockModel.realtimeNs(111)).isEqualTo(5_001);
        }
    }

    @Test
    void shouldRenewTheClockAfterTheRecordsBeforeAndBeforeThoseBehind() throws IOException {
        Fifo cpu = addCpu();
        RecordWriter writer = new RecordWriter();
        writer.record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, 90);
        writer.record(EventType.CLOCK, 0, 0, 0, 0, 110, 5_000, 110, 0);
        writer.record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, 120);
        cpu.write(writer.bytes());
        long before = clockModel.realtimeNs(90);
        List<Long> times = new ArrayList<>();
        RecordHandler handler = record -> times.add(clockModel.realtimeNs(record.timer()));
        try (Collector collector = open(PLAIN, handler, () -> now)) {
            assertThat(workLater(collector)).isEqualTo(3);
        }
        assertThat(times).containsExactly(before, 5_000L, 5_010L);
    }

    @Test
    void shouldEndWhenAllFilesDid() throws IOException {
        Fifo first = addCpu();
        Fifo second = addCpu();
        try (Collector collector = open(PLAIN)) {
            write(first, 0, 1, 3);
            first.close();
            workLater(collector);
            workLater(collector);
            assertThat(collector.hasEnded()).isFalse();
            write(second, 1, 2);
            second.close();
            for (int i = 0; i < 5; i++) {
                workLater(collector);
            }
            assertThat(collector.hasEnded()).isTrue();
            assertThat(handed).containsExactlyInAnyOrder(1L, 2L, 3L);
            assertThat(collector.doWork(1_000_000)).isZero();
            assertThat(collector.cpuCounts()).hasSize(2);
        }
    }

    @Test
    void shouldWakeAndDoNothingOnceStopped() throws Exception {
        addCpu();
        try (Collector collector = open(PLAIN, record -> {}, MonotonicClock.SYSTEM)) {
            CountDownLatch done = new CountDownLatch(1);
            Thread worker = new Thread(() -> {
                try {
                    while (!collector.isStopped()) {
                        collector.doWork(1_000_000);
                    }
                    done.countDown();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            worker.start();
            collector.stop();
            done.await();
            worker.join();
            assertThat(collector.doWork(1_000_000)).isZero();
        }
    }

    @Test
    void shouldDrainWithoutHoldBackAfterStop() throws IOException {
        Fifo first = addCpu();
        Fifo second = addCpu();
        try (Collector collector = open(PLAIN)) {
            write(first, 0, now + 1, now + 3);
            write(second, 1, now + 2);
            collector.stop();
            assertThat(collector.doWork(0)).isZero();
            assertThat(collector.drain()).isEqualTo(3);
            assertThat(handed).containsExactly(now + 1, now + 2, now + 3);
            assertThat(collector.drain()).isZero();
        }
    }

    @Test
    void shouldEndDrainingWhereEventsComeAsFastAsTheyAreHandedOn() throws IOException {
        Fifo first = addCpu();
        RecordWriter writer = new RecordWriter();
        for (int i = 0; i < 512; i++) {
            writer.unknown(0x3f0, 0, 10 + i, 1, 2, 3, 4);
        }
        byte[] events = writer.bytes();
        first.write(events);
        CollectorSettings half = new CollectorSettings(
                events.length / 2, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofSeconds(2), null);
        try (Collector collector = open(half)) {
            collector.copyTo((cpu, batch, offset, length) -> {
                byte[] more = new byte[length];
                batch.get(offset, more);
                first.write(more);
            });
            assertThat(collector.drain(events.length)).isEqualTo(512);
        }
    }

    /** When a CPU's file has been read the CPU logs another event, and the other CPU a younger one, which is read at once. */
    @ParameterizedTest
    @ValueSource(longs = {0, 200})
    void shouldDrainInOrderWhileOthersGoOnLogging(long millisOfARound) throws IOException {
        addCpu();
        addCpu();
        AtomicLong timer = new AtomicLong();
        AtomicLong completeTo = new AtomicLong();
        for (int i = 0; i < 10; i++) {
            write(fifos.get(i % 2), i % 2, timer.incrementAndGet());
        }
        try (Collector collector = openTelling(completeTo::get, () -> now += millisOfARound * MILLI)) {
            collector.copyTo((cpu, batch, offset, length) -> {
                completeTo.set(timer.get());
                write(fifos.get(cpu), cpu, timer.incrementAndGet());
                write(fifos.get(1 - cpu), 1 - cpu, timer.incrementAndGet());
            });
            for (int i = 0; i < 20; i++) {
                long before = timer.get();
                collector.drain(1_000_000);
                assertThat(handed)
                        .startsWith(LongStream.rangeClosed(1, before).boxed().toArray(Long[]::new));
            }
            assertThat(handed).isSorted();
            assertThat(collector.count(CollectorCounter.LATE)).isZero();
        }
    }

    /** What was logged before the call is handed on though one CPU's file never again says how far it is complete. */
    @Test
    void shouldDrainThoughAWriterNeverComesToItsEnd() throws IOException {
        addCpu();
        addCpu();
        write(fifos.get(0), 0, 10, 20);
        write(fifos.get(1), 1, 15, 25);
        try (Collector collector = openTelling(() -> 12, () -> now += MILLI)) {
            assertThat(collector.drain(1_000_000)).isEqualTo(4);
            assertThat(handed).containsExactly(10L, 15L, 20L, 25L);
        }
    }

    @Test
    void shouldFindCpusThatComeOnlineLater() throws IOException {
        addCpu();
        CollectorSettings rescanning =
                new CollectorSettings(64 * 1024, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofSeconds(2), null);
        try (Collector collector = open(rescanning)) {
            write(addCpu(), 1, 77);
            workLater(collector);
            assertThat(handed).isEmpty();
            now += 2_000 * MILLI;
            workLater(collector);
            workLater(collector);
            assertThat(handed).containsExactly(77L);
            assertThat(collector.cpuCounts()).extracting(CpuCounts::cpu).containsExactly(0, 1);
        }
    }

    /** Whoever goes on after a failure reads the CPUs that could be opened, and the other one as soon as it can be. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldReadTheOtherNewCpuWhenOneCannotBeOpened(int unopenable) throws IOException {
        CollectorSettings rescanning =
                new CollectorSettings(64 * 1024, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofSeconds(2), null);
        addCpu();
        try (Collector collector = open(rescanning)) {
            int other = 3 - unopenable;
            Path looping = folder.resolve("cpu" + unopenable);
            Files.createSymbolicLink(looping, looping);
            Fifo opened = Fifo.create(folder.resolve("cpu" + other));
            fifos.add(opened);
            now += 2_000 * MILLI;
            assertThatThrownBy(() -> collector.doWork(0))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cpu" + unopenable);
            write(opened, other, 77);
            workLater(collector);
            workLater(collector);
            assertThat(handed).containsExactly(77L);

            Files.delete(looping);
            Fifo late = Fifo.create(looping);
            fifos.add(late);
            write(late, unopenable, 88);
            now += 2_000 * MILLI;
            workLater(collector);
            workLater(collector);
            assertThat(handed).containsExactly(77L, 88L);
            assertThat(collector.cpuCounts())
                    .extracting(CpuCounts::cpu, CpuCounts::records)
                    .containsExactly(tuple(0, 0L), tuple(other, 1L), tuple(unopenable, 1L));
        }
    }

    /** It may be another reader that takes one after the other: who of the two comes second leaves it the rest. */
    @Test
    void shouldTakeNoMoreFilesWhenOneCannotBeOpenedAtTheBeginning() throws IOException {
        addCpu();
        Files.createSymbolicLink(folder.resolve("cpu1"), folder.resolve("cpu1"));
        fifos.add(Fifo.create(folder.resolve("cpu2")));
        Path copies = Files.createDirectory(folder.resolve("copies"));
        assertThatThrownBy(() -> open(PLAIN.withRawDirectory(copies))).hasMessageContaining("cpu1");
        try (Stream<Path> copied = Files.list(copies)) {
            assertThat(copied).containsExactly(copies.resolve("cpu0.raw"));
        }
    }

    @Test
    void shouldSayOfEachNewCpuThatItCannotBeOpened() throws IOException {
        addCpu();
        try (Collector collector = open(PLAIN)) {
            for (String cpu : List.of("cpu1", "cpu2")) {
                Files.createSymbolicLink(folder.resolve(cpu), folder.resolve(cpu));
            }
            assertThatThrownBy(collector::drain)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cpu1")
                    .satisfies(thrown -> assertThat(thrown.getSuppressed())
                            .singleElement()
                            .satisfies(second -> assertThat(second).hasMessageContaining("cpu2")));
        }
    }

    @Test
    void shouldThrowACorruptBatchAwayAndGoOn() throws IOException {
        Fifo first = addCpu();
        RecordWriter writer = new RecordWriter();
        writer.record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, 10);
        writer.header(12, 0, 1, 1, 1, 1, 11);
        first.write(writer.bytes());
        try (Collector collector = open(PLAIN)) {
            workLater(collector);
            assertThat(collector.count(CollectorCounter.CORRUPT_BYTES)).isEqualTo(32);
            write(first, 0, 20);
            workLater(collector);
            assertThat(handed).containsExactly(10L, 20L);
        }
    }

    /** One that is too short for its event, and one that says it is of another CPU. */
    @Test
    void shouldPassOverAMalformedRecordAndCountIt() throws IOException {
        Fifo first = addCpu();
        RecordWriter writer = new RecordWriter();
        writer.record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, 10);
        writer.header(32, 0, EventType.SCHED_SWITCH.id(), 1, 1, 1, 11);
        writer.record(EventType.SCHED_WAKEUP, 0, 1, 1, 3, 12);
        writer.record(EventType.SCHED_WAKEUP, 65_535, 1, 1, 3, 13);
        writer.record(EventType.SOFTIRQ_EXIT, 0, 1, 1, 3, 14);
        first.write(writer.bytes());
        try (Collector collector = open(PLAIN)) {
            workLater(collector);
            assertThat(handed).containsExactly(10L, 12L, 14L);
            assertThat(collector.count(CollectorCounter.RECORDS)).isEqualTo(3);
            assertThat(collector.count(CollectorCounter.MALFORMED)).isEqualTo(2);
            assertThat(collector.count(CollectorCounter.CORRUPT_BYTES)).isEqualTo(32 + 40);
        }
    }

    @Test
    void shouldHandOnWhatIsOlderThanTheHoldBackWithoutAWaitWhenToldTo() throws IOException {
        Fifo first = addCpu();
        addCpu();
        try (Collector collector = open(PLAIN)) {
            write(first, 0, now - 10 * MILLI, now);
            assertThat(collector.readNow()).isEqualTo(1);
            assertThat(handed).containsExactly(now - 10 * MILLI);
            long held = now;
            assertThat(workLater(collector)).isEqualTo(1);
            assertThat(handed).containsExactly(held - 10 * MILLI, held);
            write(first, 0, now - 9 * MILLI);
            collector.stop();
            assertThat(collector.doWork(0)).isZero();
            assertThat(collector.readNow())
                    .as("points go on logging until they are ended")
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldHandOnAllThatWasLoggedMeanwhileWhenItCatchesUp() throws IOException {
        Fifo first = addCpu();
        Fifo second = addCpu();
        RecordWriter writer = new RecordWriter();
        for (int i = 0; i < 1_000; i++) {
            writer.record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, now - 20 * MILLI + i);
        }
        byte[] bytes = writer.bytes();
        first.write(bytes);
        write(second, 1, now - 20 * MILLI, now);
        try (Collector collector = open(PLAIN)) {
            collector.catchUp();
            assertThat(handed).hasSize(1_001);
            assertThat(collector.count(CollectorCounter.LATE)).isZero();
        }
    }

    /** And at once where none follows yet. */
    @Test
    void shouldTellOfAGapBeforeTheRecordThatFollowsIt() throws IOException {
        Fifo first = addCpu();
        Fifo second = addCpu();
        RecordWriter writer = new RecordWriter();
        writer.record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, 10);
        writer.record(EventType.SCHED_WAKEUP, 65_535, 1, 1, 3, 11);
        writer.record(EventType.SOFTIRQ_EXIT, 0, 1, 1, 3, 12);
        writer.record(EventType.SCHED_WAKEUP, 65_535, 1, 1, 3, 13);
        first.write(writer.bytes());
        write(second, 1, 11, 20);
        List<String> told = new ArrayList<>();
        RecordHandler handler = new RecordHandler() {
            @Override
            public void onRecord(RecordFlyweight record) {
                told.add(record.cpu() + " " + record.timer());
            }

            @Override
            public void onGap(int cpu) {
                told.add(cpu + " gap");
            }
        };
        try (Collector collector = open(PLAIN, handler, () -> now)) {
            workLater(collector);
            assertThat(told).containsExactly("0 10", "1 11", "0 gap", "0 12", "1 20", "0 gap");
            write(first, 0, 30, 31);
            workLater(collector);
            assertThat(told.subList(6, told.size())).containsExactly("0 30", "0 31");
        }
    }

    /** They were looked at, and are held back while more comes, for which the bytes in front of them go. */
    @Test
    void shouldCountAMalformedRecordOnceThoughItWaits() throws IOException {
        Fifo first = addCpu();
        Fifo second = addCpu();
        RecordWriter writer = new RecordWriter();
        writer.record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, now - 20 * MILLI);
        writer.record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, now);
        writer.record(EventType.SCHED_WAKEUP, 65_535, 1, 1, 3, now);
        writer.record(EventType.SOFTIRQ_EXIT, 0, 1, 1, 3, now + 1);
        first.write(writer.bytes());
        write(second, 1, now - 19 * MILLI);
        try (Collector collector = open(PLAIN)) {
            assertThat(collector.doWork(0)).isEqualTo(2);
            write(first, 0, now + 2, now + 3);
            now += MILLI;
            collector.doWork(0);
            assertThat(workLater(collector)).isEqualTo(4);
            long held = now - 11 * MILLI;
            assertThat(handed)
                    .containsExactly(held - 20 * MILLI, held - 19 * MILLI, held, held + 1, held + 2, held + 3);
            assertThat(collector.count(CollectorCounter.MALFORMED)).isEqualTo(1);
        }
    }

    @Test
    void shouldGiveTheLongestCycleWithoutItsSleep() throws IOException {
        Fifo cpu = addCpu();
        long[] lasts = {5_000, 3_000};
        try (Collector collector = open(PLAIN, record -> now += lasts[(int) record.timer()], () -> now)) {
            write(cpu, 0, 0);
            assertThat(workLater(collector)).isEqualTo(1);
            write(cpu, 0, 1);
            assertThat(workLater(collector)).isEqualTo(1);
            assertThat(workLater(collector)).isZero();
            assertThat(collector.takeLongestCycle()).isEqualTo(5_000);
            assertThat(collector.takeLongestCycle()).isZero();
        }
    }

    /** What the clock goes on by at each look at it; nothing when there is no more. */
    private MonotonicClock stepping(Deque<Long> steps) {
        return () -> now += steps.isEmpty() ? 0 : steps.remove();
    }

    @Test
    void shouldGiveTheLongestTimeBetweenTwoLooks() throws IOException {
        Fifo cpu = addCpu();
        try (Collector collector = open(PLAIN, record -> now += 5_000, () -> now)) {
            now += 4 * MILLI;
            write(cpu, 0, 0);
            assertThat(collector.readNow()).isEqualTo(1);
            assertThat(collector.takeLongestAway()).as("none before the first").isZero();
            now += 700;
            collector.doWork(0);
            assertThat(collector.takeLongestAway())
                    .as("handlers, and what is done then")
                    .isEqualTo(5_700);
            assertThat(collector.takeLongestAway()).isZero();
        }
    }

    @Test
    void shouldCountNoSleepAsAnAbsence() throws IOException {
        addCpu();
        Deque<Long> steps = new ArrayDeque<>();
        try (Collector collector = open(PLAIN, record -> {}, stepping(steps))) {
            collector.doWork(0);
            steps.addAll(List.of(3_000L, 9 * MILLI));
            collector.doWork(0);
            assertThat(collector.takeLongestAway()).as("before it slept").isEqualTo(3_000);
            collector.doWork(0);
            assertThat(collector.takeLongestAway()).isZero();
        }
    }

    /** It opens files, and there may be nothing to read then. */
    @Test
    void shouldCountTheSearchForNewCpusAsAnAbsenceAndAsACycle() throws IOException {
        addCpu();
        Deque<Long> steps = new ArrayDeque<>();
        try (Collector collector = open(PLAIN, record -> {}, stepping(steps))) {
            collector.doWork(0);
            steps.addAll(List.of(0L, 9 * MILLI, 400_000L));
            collector.doWork(0);
            collector.doWork(0);
            assertThat(collector.takeLongestAway()).isEqualTo(400_000);
            assertThat(collector.takeLongestCycle()).isEqualTo(400_000);
        }
    }

    @Test
    void shouldCountTheTimeFromAWakeUpUntilItReadsAsAnAbsence() throws IOException {
        Fifo cpu = addCpu();
        Deque<Long> steps = new ArrayDeque<>();
        try (Collector collector = open(PLAIN, record -> {}, stepping(steps))) {
            write(cpu, 0, 0);
            steps.addAll(List.of(0L, 9 * MILLI, 60_000L));
            collector.doWork(0);
            assertThat(collector.takeLongestAway()).isEqualTo(60_000);
        }
    }

    /** Whoever waits for the kernel reads meanwhile, often and without a sleep. */
    @Test
    void shouldCountEachReadAsALook() throws IOException {
        Fifo cpu = addCpu();
        try (Collector collector = open(PLAIN, record -> now += 5_000, () -> now)) {
            for (int i = 0; i < 50; i++) {
                write(cpu, 0, i);
                if (i % 3 == 0) {
                    collector.readNow();
                } else if (i % 3 == 1) {
                    collector.catchUp();
                } else {
                    collector.drain();
                }
            }
            assertThat(collector.count(CollectorCounter.RECORDS)).isEqualTo(50);
            assertThat(collector.takeLongestAway()).isEqualTo(5_000);
        }
    }

    @Test
    void shouldHandOnUnknownEvents() throws IOException {
        Fifo first = addCpu();
        first.write(new RecordWriter().unknown(0x2f0, 0, 5, 1, 2, 3).bytes());
        try (Collector collector = open(PLAIN)) {
            assertThat(workLater(collector)).isEqualTo(1);
        }
    }

    @Test
    void shouldMakeRoomWhenOneCpuFillsItsBatchFasterThanTheHoldBack() throws IOException {
        Fifo first = addCpu();
        addCpu();
        CollectorSettings small =
                new CollectorSettings(16 * 1024, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofHours(1), null);
        try (Collector collector = open(small)) {
            long[] timers = new long[1_500];
            for (int i = 0; i < timers.length; i++) {
                timers[i] = now + i;
            }
            write(first, 0, timers);
            now += MILLI;
            for (int i = 0; i < 100; i++) {
                now += 1_000;
                collector.doWork(0);
            }
            assertThat(collector.count(CollectorCounter.BYTES)).isGreaterThan(32 * 1024);
            collector.drain();
            assertThat(handed).hasSize(1_500).isSorted();
        }
    }

    @Test
    void shouldKeepTheBytesAsTheyWereRead() throws IOException {
        Fifo first = addCpu();
        Fifo second = addCpu();
        Path raw = Files.createDirectory(folder.resolve("raw"));
        byte[] written = new RecordWriter()
                .record(EventType.SCHED_SWITCH, 0, 1, 2, 3, 10, 0, 4)
                .record(EventType.SCHED_WAKEUP, 0, 1, 2, 3, 11, 0, 4)
                .bytes();
        first.write(written);
        write(second, 1, 5);
        try (Collector collector = open(PLAIN.withRawDirectory(raw))) {
            workLater(collector);
            first.write(written);
            workLater(collector);
        }
        assertThat(Files.readAllBytes(raw.resolve("cpu0.raw")))
                .isEqualTo(new RecordWriter()
                        .record(EventType.SCHED_SWITCH, 0, 1, 2, 3, 10, 0, 4)
                        .record(EventType.SCHED_WAKEUP, 0, 1, 2, 3, 11, 0, 4)
                        .record(EventType.SCHED_SWITCH, 0, 1, 2, 3, 10, 0, 4)
                        .record(EventType.SCHED_WAKEUP, 0, 1, 2, 3, 11, 0, 4)
                        .bytes());
        assertThat(Files.size(raw.resolve("cpu1.raw"))).isEqualTo(32);
    }

    @Test
    void shouldSayWhenThereAreNoDataFiles() {
        assertThatThrownBy(() -> open(PLAIN))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining(folder.toString());
    }

    @Test
    void shouldSetAttributesOnDataFiles() throws IOException {
        addCpu();
        assertThatThrownBy(() -> open(CollectorSettings.batched())).hasMessageContaining("lseek");
    }

    @Test
    void shouldRefuseSettingsThatCannotWork() {
        assertThatThrownBy(() -> new CollectorSettings(8_192, 0, Duration.ZERO, Duration.ZERO, Duration.ZERO, null))
                .hasMessageContaining("bytes=8192");
        assertThatThrownBy(() ->
                        new CollectorSettings(65_536, 0, Duration.ofMillis(-1), Duration.ZERO, Duration.ZERO, null))
                .hasMessageContaining("latest=");
    }

    /** A CPU with several batches unread, and one with a few records: those must not come first. */
    @Test
    void shouldDrainInOrderWhenOneCpuHasSeveralBatchesUnread() throws IOException {
        addCpu();
        addCpu();
        write(fifos.get(0), 0, LongStream.rangeClosed(1, 1_900).map(i -> 10 * i).toArray());
        write(fifos.get(1), 1, 5, 9_505, 18_995);
        CollectorSettings small =
                new CollectorSettings(16 * 1024, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofHours(1), null);
        try (Collector collector = open(small)) {
            assertThat(collector.drain()).isEqualTo(1_903);
            assertThat(handed).isSorted();
            assertThat(collector.count(CollectorCounter.LATE)).isZero();
        }
    }

    /** The folder is looked at rarely, and not at all when it was stopped. */
    @Test
    void shouldDrainACpuThatCameOnlineShortlyBefore() throws IOException {
        addCpu();
        write(fifos.get(0), 0, 10);
        try (Collector collector = open(PLAIN)) {
            addCpu();
            write(fifos.get(1), 1, 5, 20);
            collector.stop();
            assertThat(collector.drain()).isEqualTo(3);
            assertThat(handed).containsExactly(5L, 10L, 20L);
        }
    }

    private static void writeEpoch(Fifo fifo, int cpu, long timer, long monotonicNs, int epoch) throws IOException {
        fifo.write(new RecordWriter()
                .record(EventType.CLOCK, cpu, 0, 0, 0, timer, 5_000, monotonicNs, epoch)
                .bytes());
    }

    private static final class Story implements RecordHandler {
        private final List<String> told = new ArrayList<>();

        @Override
        public void onRecord(RecordFlyweight record) {
            told.add("" + record.timer());
        }

        @Override
        public void onGap(int cpu) {
            told.add("gap " + cpu);
        }

        @Override
        public void onNewEpoch(int cpus) {
            told.add("epoch of " + cpus);
        }
    }

    private void writeTwoEpochs() throws IOException {
        addCpu();
        addCpu();
        write(fifos.get(0), 0, 900 * MILLI);
        writeEpoch(fifos.get(0), 0, 10, 1_000 * MILLI, 1);
        write(fifos.get(0), 0, 30);
        write(fifos.get(1), 1, 890 * MILLI, 910 * MILLI);
        writeEpoch(fifos.get(1), 1, 20, 1_000 * MILLI + 10, 1);
        write(fifos.get(1), 1, 40);
    }

    private static final String[] OF_TWO_EPOCHS = {
        "" + 890 * MILLI, "" + 900 * MILLI, "" + 910 * MILLI, "epoch of 2", "10", "20", "30", "40"
    };

    @Test
    void shouldHandOnTheOldEpochFirstWhenTheTimerBeginsAnew() throws IOException {
        writeTwoEpochs();
        Story story = new Story();
        try (Collector collector = open(PLAIN, story, () -> now)) {
            for (int i = 0; i < 4; i++) {
                workLater(collector);
            }
            assertThat(story.told).containsExactly(OF_TWO_EPOCHS);
            assertThat(collector.count(CollectorCounter.EPOCHS)).isEqualTo(1);
            assertThat(collector.count(CollectorCounter.LATE)).isZero();
            assertThat(clockModel.monotonicNs(30)).isEqualTo(1_000 * MILLI + 20);
        }
    }

    /** CPU 0 has logged after the jump, and before the module saw it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTellOfAJumpThatTheModuleHasNotSeenYet(boolean drains) throws IOException {
        addCpu();
        addCpu();
        long day = 86_400_000 * MILLI;
        write(fifos.get(0), 0, 900 * MILLI, 900 * MILLI + day, 901 * MILLI + day);
        write(fifos.get(1), 1, 890 * MILLI, now + 900 * MILLI);
        Story story = new Story();
        try (Collector collector = open(PLAIN, story, () -> now)) {
            if (drains) {
                collector.drain();
            } else {
                writeEpoch(fifos.get(0), 0, 902 * MILLI + day, 1_000 * MILLI, 1);
                writeEpoch(fifos.get(1), 1, 902 * MILLI + day, 1_000 * MILLI, 1);
                for (int i = 0; i < 4; i++) {
                    workLater(collector);
                }
                collector.drain();
            }
            assertThat(story.told)
                    .startsWith(
                            "" + 890 * MILLI,
                            "" + 900 * MILLI,
                            "" + 1_900 * MILLI,
                            "epoch of 2",
                            "" + (900 * MILLI + day),
                            "" + (901 * MILLI + day));
            if (drains) {
                assertThat(story.told).hasSize(6);
                assertThat(collector.count(CollectorCounter.EPOCHS)).isZero();
            } else {
                assertThat(story.told.subList(6, story.told.size()))
                        .containsExactly("epoch of 2", "" + (902 * MILLI + day), "" + (902 * MILLI + day));
                assertThat(collector.count(CollectorCounter.EPOCHS)).isEqualTo(1);
            }
        }
    }

    /** Both CPUs have logged after the timer began anew, and before the module saw it. */
    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void shouldTellOfATimerThatWentBackBeforeTheModuleSawIt(boolean drains, boolean tells) throws IOException {
        addCpu();
        addCpu();
        write(fifos.get(0), 0, 900 * MILLI, 10 * MILLI, 12 * MILLI);
        write(fifos.get(1), 1, 890 * MILLI, 910 * MILLI, 11 * MILLI);
        writeEpoch(fifos.get(0), 0, 13 * MILLI, 1_000 * MILLI, 1);
        writeEpoch(fifos.get(1), 1, 14 * MILLI, 1_001 * MILLI, 1);
        write(fifos.get(0), 0, 15 * MILLI);
        Story story = new Story();
        try (Collector collector =
                tells ? openTelling(() -> 20 * MILLI, story, () -> now) : open(PLAIN, story, () -> now)) {
            for (int i = 0; i < 4 && !drains; i++) {
                workLater(collector);
            }
            collector.drain();
            assertThat(story.told)
                    .containsExactly(
                            "" + 890 * MILLI,
                            "" + 900 * MILLI,
                            "" + 910 * MILLI,
                            "epoch of 2",
                            "" + 10 * MILLI,
                            "" + 11 * MILLI,
                            "" + 12 * MILLI,
                            "epoch of 2",
                            "" + 13 * MILLI,
                            "" + 14 * MILLI,
                            "" + 15 * MILLI);
            assertThat(collector.count(CollectorCounter.EPOCHS)).isEqualTo(1);
            assertThat(collector.count(CollectorCounter.LATE)).isZero();
        }
    }

    /** A processor whose counter is a little behind another's that did the CPU's work before: a virtual one that moved. */
    @Test
    void shouldTakeATimerThatIsALittleBehindForALateOne() throws IOException {
        addCpu();
        write(fifos.get(0), 0, 900 * MILLI, 881 * MILLI, 901 * MILLI);
        Story story = new Story();
        try (Collector collector = open(PLAIN, story, () -> now)) {
            collector.drain();
            assertThat(story.told).containsExactly("" + 900 * MILLI, "" + 881 * MILLI, "" + 901 * MILLI);
            assertThat(collector.count(CollectorCounter.LATE)).isEqualTo(1);
        }
    }

    @Test
    void shouldHandOnTheNewEpochOfABufferThatWasRemoved() throws IOException {
        writeTwoEpochs();
        Story story = new Story();
        try (Collector collector = open(PLAIN, story, () -> now)) {
            closeFifos();
            for (int i = 0; i < 9; i++) {
                workLater(collector);
            }
            assertThat(story.told).containsExactly(OF_TWO_EPOCHS);
            assertThat(collector.hasEnded()).isTrue();
        }
    }

    /** All is read before the collector has seen that an epoch began. */
    @ParameterizedTest
    @ValueSource(longs = {1_000, Long.MAX_VALUE})
    void shouldDrainBothEpochs(long ringBytes) throws IOException {
        writeTwoEpochs();
        Story story = new Story();
        try (Collector collector = open(PLAIN, story, () -> now)) {
            assertThat(collector.drain(ringBytes)).isEqualTo(7);
            assertThat(story.told).containsExactly(OF_TWO_EPOCHS);
            assertThat(collector.count(CollectorCounter.EPOCHS)).isEqualTo(1);
            assertThat(collector.count(CollectorCounter.LATE)).isZero();
        }
    }

    @Test
    void shouldHandOnWhatThereIsBeforeItSaysThatAFileCannotBeOpened() throws IOException {
        addCpu();
        write(fifos.get(0), 0, 900 * MILLI, 901 * MILLI);
        Story story = new Story();
        try (Collector collector = open(PLAIN, story, () -> now)) {
            Path looping = folder.resolve("cpu1");
            Files.createSymbolicLink(looping, looping);
            assertThatThrownBy(collector::drain).isInstanceOf(IOException.class).hasMessageContaining("cpu1");
            assertThat(story.told).containsExactly("" + 900 * MILLI, "" + 901 * MILLI);
            Files.delete(looping);
            assertThat(collector.drain()).isZero();
        }
    }

    /** So much that no border is seen when it is read. One CPU slept all the time and has heard of the last epoch only. */
    @Test
    void shouldDrainEveryEpoch() throws IOException {
        addCpu();
        addCpu();
        addCpu();
        Story story = new Story();
        List<String> expected = new ArrayList<>();
        for (int epoch = 1; epoch <= 3; epoch++) {
            for (int cpu = 0; cpu < 2; cpu++) {
                write(fifos.get(cpu), cpu, LongStream.range(1, 300).toArray());
                writeEpoch(fifos.get(cpu), cpu, 0, epoch * 1_000 * MILLI, epoch);
            }
            LongStream.range(1, 300).forEach(timer -> expected.addAll(List.of("" + timer, "" + timer)));
            expected.addAll(List.of("epoch of 3", "0", "0"));
        }
        writeEpoch(fifos.get(2), 2, 0, 3_000 * MILLI, 3);
        expected.add("0");
        write(fifos.get(0), 0, 7);
        expected.add("7");
        try (Collector collector = open(PLAIN, story, () -> now)) {
            collector.drain();
            assertThat(story.told).isEqualTo(expected);
            assertThat(collector.count(CollectorCounter.EPOCHS)).isEqualTo(3);
            assertThat(collector.drain()).isZero();
        }
    }

    /** What a CPU logged before the others told of a new epoch, and after it was read. */
    @Test
    void shouldDrainWhatOneCpuLoggedBeforeItHeardOfTheEpoch() throws IOException {
        addCpu();
        addCpu();
        write(fifos.get(0), 0, 900 * MILLI);
        write(fifos.get(1), 1, 890 * MILLI);
        writeEpoch(fifos.get(1), 1, 20, 1_000 * MILLI, 1);
        write(fifos.get(1), 1, 40);
        Story story = new Story();
        try (Collector collector = open(PLAIN, story, () -> now)) {
            collector.copyTo((cpu, batch, offset, length) -> {
                if (cpu == 1) {
                    write(fifos.get(0), 0, 905 * MILLI);
                }
            });
            collector.drain();
            assertThat(story.told)
                    .containsExactly("" + 890 * MILLI, "" + 900 * MILLI, "" + 905 * MILLI, "epoch of 2", "20", "40");
        }
    }
}
