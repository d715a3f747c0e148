// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import static magnet.trace.TraceFixture.TIMER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.record.WordKind;
import magnet.record.Words;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
final class TraceReaderTest {
    private static final int HEADER = PacketForm.HEADER_SIZE;
    private static final int SWITCH = 40;

    @TempDir
    private Path folder;

    /** The bytes of all records in the order in which they were handed on. */
    private static List<byte[]> read(TraceReader trace) throws IOException {
        List<byte[]> records = new ArrayList<>();
        trace.read(record -> {
            byte[] bytes = new byte[record.size()];
            record.buffer().get(record.offset(), bytes);
            records.add(bytes);
        });
        return records;
    }

    private List<Long> timers() throws IOException {
        List<Long> timers = new ArrayList<>();
        try (TraceReader trace = TraceReader.open(folder)) {
            trace.read(record -> timers.add(record.timer()));
        }
        return timers;
    }

    private static List<byte[]> split(byte[] records, RecordLayout layout) {
        ByteBuffer buffer = ByteBuffer.wrap(records).order(ByteOrder.nativeOrder());
        List<byte[]> all = new ArrayList<>();
        int at = 0;
        while (at < records.length) {
            int size = layout == RecordLayout.WIDE ? buffer.getInt(at) : buffer.getInt(at) >>> 16;
            all.add(Arrays.copyOfRange(records, at, at + size));
            at += size;
        }
        return all;
    }

    private static RecordWriter switches(int cpu, long... timers) {
        RecordWriter writer = new RecordWriter();
        for (long timer : timers) {
            writer.record(EventType.SCHED_SWITCH, cpu, 1, 2, 3, timer, 0, 4);
        }
        return writer;
    }

    private void save(RecordWriter... packetsOfCpu0) throws IOException {
        try (TraceWriter writer = TraceFixture.writer(folder, RecordLayout.WIDE)) {
            for (RecordWriter packet : packetsOfCpu0) {
                TraceFixture.write(writer, 0, packet);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldGiveBackEveryRecordByteForByte(RecordLayout layout) throws IOException {
        RecordWriter records = TraceFixture.everything(layout, 3, TIMER);
        try (TraceWriter writer = TraceFixture.writer(folder, layout)) {
            TraceFixture.write(writer, 3, records);
            assertThat(records.bytes())
                    .as("the batch is left as it was")
                    .isEqualTo(TraceFixture.everything(layout, 3, TIMER).bytes());
        }
        try (TraceReader trace = TraceReader.open(folder)) {
            List<byte[]> expected = split(records.bytes(), layout);
            assertThat(read(trace))
                    .usingRecursiveFieldByFieldElementComparator()
                    .isEqualTo(expected);
            assertThat(trace.defects()).isEmpty();
            assertThat(trace.layout()).isEqualTo(layout);
            assertThat(trace.clock()).isEqualTo(TraceFixture.CLOCK);
            assertThat(trace.host()).isEqualTo("node1");
            assertThat(trace.eventName(TraceFixture.open(layout))).isEqualTo("sample_text");
            assertThat(trace.eventName(0x2ff)).isEqualTo("event_0x2ff");
        }
    }

    @Test
    void shouldMergeTheCpusInTheOrderOfTime() throws IOException {
        try (TraceWriter writer = TraceFixture.writer(folder, RecordLayout.WIDE)) {
            TraceFixture.write(writer, 0, switches(0, 10, 20, 30));
            TraceFixture.write(writer, 2, switches(2, 5, 21));
            TraceFixture.write(writer, 1, switches(1, 11, 12, 40));
            TraceFixture.write(writer, 0, switches(0, 31, 50));
            TraceFixture.write(writer, 2, switches(2, 22, 23, 60));
        }
        assertThat(timers()).containsExactly(5L, 10L, 11L, 12L, 20L, 21L, 22L, 23L, 30L, 31L, 40L, 50L, 60L);
    }

    /** A CLOCK record of an epoch. */
    private static RecordWriter clock(int cpu, long timer, int epoch) {
        return new RecordWriter().record(EventType.CLOCK, cpu, 0, 0, 0, timer, 5_000, 1_000, epoch);
    }

    @Test
    void shouldHandOnTheOldEpochFirstWhenTheTimerBeganAnew() throws IOException {
        try (TraceWriter writer = TraceFixture.writer(folder, RecordLayout.WIDE)) {
            TraceFixture.write(writer, 0, clock(0, 900, 3));
            TraceFixture.write(writer, 0, switches(0, 1_000, 1_020));
            TraceFixture.write(writer, 0, clock(0, 5, 4));
            TraceFixture.write(writer, 0, switches(0, 6, 30));
            TraceFixture.write(writer, 1, switches(1, 1_001, 1_040));
            TraceFixture.write(writer, 1, clock(1, 7, 4));
            TraceFixture.write(writer, 1, switches(1, 8, 1_100));
            TraceFixture.write(writer, 2, switches(2, 1_030));
        }
        List<String> told = new ArrayList<>();
        try (TraceReader reader = TraceReader.open(folder)) {
            reader.read(new RecordHandler() {
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
                    told.add("new epoch of " + cpus);
                }
            });
            assertThat(reader.jumps()).isEqualTo(1);
        }
        assertThat(told)
                .containsExactly(
                        "900",
                        "1000",
                        "1001",
                        "1020",
                        "1030",
                        "1040",
                        "new epoch of 3",
                        "5",
                        "6",
                        "7",
                        "8",
                        "30",
                        "1100");
    }

    /** The CLOCK record of a flight recorder's snapshot is its last. */
    @Test
    void shouldTakeTheFirstEpochThatItHearsOfForThatOfTheBeginning() throws IOException {
        try (TraceWriter writer = TraceFixture.writer(folder, RecordLayout.WIDE)) {
            TraceFixture.write(writer, 0, switches(0, 10, 20));
            TraceFixture.write(writer, 0, clock(0, 30, 7));
            TraceFixture.write(writer, 1, switches(1, 11, 40));
            TraceFixture.write(writer, 1, clock(1, 50, 7));
        }
        assertThat(timers()).containsExactly(10L, 11L, 20L, 30L, 40L, 50L);
    }

    @Test
    void shouldReadPartsAsOneTrace() throws IOException {
        for (int part = 1; part <= 3; part++) {
            try (TraceWriter writer = TraceFixture.writer(folder.resolve("00000" + part), RecordLayout.WIDE)) {
                TraceFixture.write(writer, 0, switches(0, 10 * part, 10 * part + 9));
                TraceFixture.write(writer, 1, switches(1, 10 * part + 8, 10 * part + 11));
            }
        }
        Files.createDirectory(folder.resolve("000004"));
        assertThat(timers()).containsExactly(10L, 18L, 19L, 20L, 21L, 28L, 29L, 30L, 31L, 38L, 39L, 41L);
    }

    @Test
    void shouldNotMixTracesOfDifferentRuns() throws IOException {
        TraceFixture.writer(folder.resolve("000001"), RecordLayout.WIDE).close();
        TraceFixture.writer(folder.resolve("000002"), RecordLayout.CLASSIC).close();
        assertThatThrownBy(() -> TraceReader.open(folder))
                .isInstanceOf(TraceFormatException.class)
                .hasMessageEndingWith("000002 is of another run than the folders before it; report them one by one");
    }

    /** Wherever it is cut off: every record that is whole is read, and what is missing is told. */
    @Test
    void shouldReadUpToTheCut() throws IOException {
        save(switches(0, 1, 2), switches(0, 3));
        byte[] whole = Files.readAllBytes(folder.resolve("cpu0"));
        int second = HEADER + 2 * SWITCH;
        assertThat(whole).hasSize(second + HEADER + SWITCH);
        for (int length = 0; length <= whole.length; length++) {
            Files.write(folder.resolve("cpu0"), Arrays.copyOf(whole, length));
            int records = length < HEADER + SWITCH ? 0 : length < second ? 1 : length < whole.length ? 2 : 3;
            try (TraceReader trace = TraceReader.open(folder)) {
                assertThat(trace.read(record -> {})).as("length %d", length).isEqualTo(records);
                boolean complete = length == 0 || length == second || length == whole.length;
                assertThat(trace.defects()).as("length %d", length).hasSize(complete ? 0 : 1);
                int packetEnd = length < HEADER
                        ? HEADER
                        : length < second ? second : length - second < HEADER ? second + HEADER : whole.length;
                if (!complete) {
                    assertThat(trace.defects().get(0).malformed()).isZero();
                    assertThat(trace.defects().get(0).missingBytes()).isEqualTo(packetEnd - length);
                }
            }
        }
    }

    @Test
    void shouldPassOverARecordThatIsTooShortForItsEvent() throws IOException {
        save(switches(0, 1, 2, 3));
        try (var file = Files.newByteChannel(folder.resolve("cpu0"), StandardOpenOption.WRITE)) {
            // The second becomes a UDP packet's, which has more fields.
            file.position(HEADER + SWITCH);
            file.write(ByteBuffer.wrap(new byte[] {0x60, 0}));
        }
        assertThat(timers()).containsExactly(1L, 3L);
        assertDefects(HEADER + SWITCH, 1, SWITCH);
    }

    @Test
    void shouldPassOverRecordsOfNoEventAndOfAnotherCpu() throws IOException {
        save(switches(0, 1, 2, 3, 4));
        patch(HEADER, 0, 0x7f);
        patch(HEADER + 2 * SWITCH + 6, 9);
        assertThat(timers()).containsExactly(2L, 4L);
        assertDefects(HEADER, 2, 2 * SWITCH);
    }

    @Test
    void shouldPassOverTheRestOfAPacketWhenALengthCannotBe() throws IOException {
        for (int size : new int[] {0, 31, 36, 200, 255}) {
            Path each = folder.resolve("size" + size);
            try (TraceWriter writer = TraceFixture.writer(each, RecordLayout.WIDE)) {
                TraceFixture.write(writer, 0, switches(0, 1, 2, 3));
                TraceFixture.write(writer, 0, switches(0, 4));
            }
            byte[] bytes = Files.readAllBytes(each.resolve("cpu0"));
            bytes[HEADER + SWITCH + 2] = (byte) size;
            Files.write(each.resolve("cpu0"), bytes);
            List<Long> timers = new ArrayList<>();
            try (TraceReader trace = TraceReader.open(each)) {
                trace.read(record -> timers.add(record.timer()));
                assertThat(timers).as("size %d", size).containsExactly(1L, 4L);
                assertThat(trace.defects().get(0).malformed()).isEqualTo(1);
                assertThat(trace.defects().get(0).skippedBytes()).isEqualTo(2 * SWITCH);
            }
        }
    }

    @Test
    void shouldSearchForTheNextPacketWhenAHeaderCannotBe() throws IOException {
        save(switches(0, 1), switches(0, 2, 3), switches(0, 4));
        patch(HEADER + SWITCH, 0);
        assertThat(timers()).containsExactly(1L, 4L);
        assertDefects(HEADER + SWITCH, 1, HEADER + 2 * SWITCH);
    }

    @Test
    void shouldNotBelieveAPacketThatClaimsToBeHuge() throws IOException {
        save(switches(0, 1), switches(0, 2));
        patch(PacketForm.PACKET_BITS_OFFSET + 7, 0x10);
        assertThat(timers()).containsExactly(2L);
        assertDefects(0, 1, HEADER + SWITCH);
    }

    @Test
    void shouldRefuseMetadataThatNeverEndsOrIsTooLarge() throws IOException {
        Path metadata = folder.resolve("metadata");
        Files.createSymbolicLink(metadata, Path.of("/dev/zero"));
        assertThatThrownBy(() -> TraceReader.open(folder))
                .isInstanceOf(TraceFormatException.class)
                .hasMessage(metadata + ": is no regular file");
        Files.delete(metadata);
        Files.write(metadata, new byte[(4 << 20) + 1]);
        assertThatThrownBy(() -> TraceReader.open(folder)).hasMessage(metadata + ": larger than 4 MiB");
    }

    @Test
    void shouldSayWhenThereIsNoTrace() throws IOException {
        assertThatThrownBy(() -> TraceReader.open(folder.resolve("nowhere")))
                .hasMessageEndingWith("there is no such folder");
        assertThatThrownBy(() -> TraceReader.open(folder))
                .hasMessageEndingWith("has no trace: there is no file 'metadata'");
        for (String node : new String[] {"n2", "n1", "logs"}) {
            Files.createDirectory(folder.resolve(node));
        }
        Files.createFile(folder.resolve("n1/metadata"));
        Files.createFile(folder.resolve("n2/metadata"));
        assertThatThrownBy(() -> TraceReader.open(folder))
                .hasMessageEndingWith("there is no file 'metadata'; name one of those below it: n1, n2");
        Files.writeString(folder.resolve("metadata"), "/* CTF 1.8 */\nenv {\n\ttracer_name = \"lttng\";\n};\n");
        assertThatThrownBy(() -> TraceReader.open(folder))
                .hasMessageEndingWith("metadata is not one that magnet wrote");
    }

    @Test
    void shouldAllocateNothingPerRecord() throws IOException {
        int rounds = 400;
        try (TraceWriter writer = TraceFixture.writer(folder, RecordLayout.WIDE)) {
            RecordWriter records = new RecordWriter();
            for (int round = 0; round < rounds; round++) {
                for (int cpu = 0; cpu < 2; cpu++) {
                    records.clear();
                    for (int i = 0; i < 500; i++) {
                        long timer = 1_000L * round + 2L * i + cpu;
                        if (i % 10 == 0) {
                            records.unknown(TraceFixture.open(RecordLayout.WIDE), cpu, timer, 1, 2);
                        } else {
                            records.record(EventType.SCHED_SWITCH, cpu, 1, 2, 3, timer, 0, 4);
                        }
                    }
                    TraceFixture.write(writer, cpu, records);
                }
            }
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] sum = {0};
        long[] allocated = new long[2];
        for (int run = 0; run < 2; run++) {
            try (TraceReader trace = TraceReader.open(folder)) {
                long before = threads.getCurrentThreadAllocatedBytes();
                long count = trace.read(record -> sum[0] += record.timer());
                allocated[run] = threads.getCurrentThreadAllocatedBytes() - before;
                assertThat(count).isEqualTo(2L * 500 * rounds);
            }
        }
        assertThat(allocated[1]).as("bytes for 400,000 records").isLessThan(64 * 1024);
    }

    private void assertDefects(long offset, long malformed, long skipped) throws IOException {
        try (TraceReader trace = TraceReader.open(folder)) {
            trace.read(record -> {});
            assertThat(trace.defects())
                    .containsExactly(
                            new TraceDefects(folder.resolve("cpu0").toString(), offset, malformed, skipped, 0));
        }
    }

    @Test
    void shouldEndWhenThereIsEnough() throws IOException {
        Path trace = folder.resolve("long");
        try (TraceWriter writer = TraceFixture.writer(trace, RecordLayout.WIDE)) {
            for (int cpu = 0; cpu < 3; cpu++) {
                TraceFixture.write(writer, cpu, TraceFixture.everything(RecordLayout.WIDE, cpu, 1_000));
            }
        }
        try (TraceReader reader = TraceReader.open(trace)) {
            List<Long> timers = new ArrayList<>();
            assertThat(reader.read(record -> timers.add(record.timer()), () -> timers.size() == 5))
                    .isEqualTo(5);
            assertThat(timers).containsExactly(1_010L, 1_010L, 1_010L, 1_020L, 1_020L);
        }
    }

    private void patch(int at, int... values) throws IOException {
        byte[] bytes = Files.readAllBytes(folder.resolve("cpu0"));
        for (int i = 0; i < values.length; i++) {
            bytes[at + i] = (byte) values[i];
        }
        Files.write(folder.resolve("cpu0"), bytes);
    }

    @ParameterizedTest
    @EnumSource(RecordLayout.class)
    void shouldTellWhatReasonsOfDropsAreCalled(RecordLayout layout) throws IOException {
        TraceFixture.writer(folder.resolve("named"), layout).close();
        try (TraceReader trace = TraceReader.open(folder.resolve("named"))) {
            assertThat(trace.dropReasons()).isEqualTo(Map.of(2, "NOT_SPECIFIED", 3, "NO_SOCKET"));
        }
        new TraceWriter(
                        folder.resolve("nameless"),
                        TraceFixture.withoutReasons(layout),
                        () -> TraceFixture.format(layout))
                .close();
        try (TraceReader trace = TraceReader.open(folder.resolve("nameless"))) {
            assertThat(trace.dropReasons()).isEmpty();
            assertThat(trace.machine()).isEmpty();
            assertThat(trace.words().of(WordKind.GFP_FLAGS, 0xcc0)).isNull();
        }
    }

    @ParameterizedTest
    @EnumSource(RecordLayout.class)
    void shouldTellWhatNumbersMean(RecordLayout layout) throws IOException {
        try (TraceWriter writer =
                new TraceWriter(folder, TraceFixture.origin(layout), () -> TraceFixture.formatWithWords(layout))) {
            TraceFixture.write(writer, 0, TraceFixture.everything(layout, 0, TIMER));
        }
        try (TraceReader trace = TraceReader.open(folder)) {
            assertThat(trace.machine()).isEqualTo("x86_64");
            Words words = trace.words();
            assertThat(words.of(WordKind.DROP_REASON, 3)).isEqualTo("NO_SOCKET");
            assertThat(words.of(WordKind.GFP_FLAGS, 0x40cc0)).isEqualTo("GFP_KERNEL|__GFP_COMP");
            assertThat(words.of(WordKind.GFP_FLAGS, 0x800)).isEqualTo("GFP_NOWAIT");
            assertThat(words.of(WordKind.BLOCK_OP, 9)).isEqualTo("WRITE_ZEROES");
            assertThat(words.of(WordKind.BLOCK_OP, 1)).isNull();
            assertThat(words.of(WordKind.TASK_STATE)).isEqualTo(Words.common().of(WordKind.TASK_STATE));
            RecordFormats module = new RecordFormats(layout);
            ControlFormat.addTo(module, TraceFixture.format(layout));
            assertThat(trace.events())
                    .as("fields have the types that the module says")
                    .extracting(EventFormat::fields)
                    .containsExactlyElementsOf(
                            module.events().stream().map(EventFormat::fields).toList());
        }
    }
}
