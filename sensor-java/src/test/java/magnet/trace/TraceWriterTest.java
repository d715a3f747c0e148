// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import static magnet.trace.TraceFixture.TIMER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TraceWriterTest {
    private static final long MONTH = 2_592_000_000_000_000L;

    @TempDir
    private Path folder;

    private final Map<Integer, String> processNames = new HashMap<>();
    private long now;

    private static RecordWriter record(int cpu, long timer) {
        return new RecordWriter().record(EventType.SCHED_SWITCH, cpu, 7, 8, 9, timer, 0, 4);
    }

    private ByteBuffer stream(String name) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(folder.resolve(name))).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void shouldWriteAReadAsAPacket() throws IOException {
        try (TraceWriter writer = TraceFixture.writer(folder, RecordLayout.WIDE)) {
            RecordWriter records = record(5, TIMER).record(EventType.LOST, 5, 0, 0, 0, TIMER + 10, 3, 1, 2);
            records.record(EventType.MM_VMSCAN_DIRECT_RECLAIM_END, 5, 1, 2, 3, TIMER + 20, 4, 1);
            TraceFixture.write(writer, 5, records);
            TraceFixture.write(writer, 5, record(5, TIMER + 30));
            TraceFixture.write(writer, 6, new RecordWriter());
        }
        ByteBuffer packets = stream("cpu5");
        int first = 56 + 40 + 56 + 48;
        assertThat(packets.capacity()).isEqualTo(first + 56 + 40);
        assertThat(packets.getInt(0)).isEqualTo(0xc1fc1fc1);
        assertThat(packets.getInt(4)).isZero();
        assertThat(packets.getLong(8)).isEqualTo(TIMER);
        assertThat(packets.getLong(16)).isEqualTo(TIMER + 20);
        assertThat(packets.getLong(24)).as("4 bytes are reserved").isEqualTo(8 * (first - 4));
        assertThat(packets.getLong(32)).isEqualTo(8 * first);
        assertThat(packets.getLong(40)).isEqualTo(3);
        assertThat(packets.getInt(48)).isEqualTo(5);
        assertThat(packets.getLong(first + 40)).as("of all packets so far").isEqualTo(3);

        int record = 56;
        assertThat(packets.getShort(record)).isEqualTo((short) 0x110);
        assertThat(packets.getInt(record + 2)).isEqualTo(40);
        assertThat(packets.getShort(record + 6)).isEqualTo((short) 5);
        assertThat(packets.getLong(record + 8)).isEqualTo(TIMER);
        assertThat(packets.getInt(record + 16)).isEqualTo(7);
        assertThat(packets.getInt(record + 20)).isEqualTo(8);
        assertThat(packets.getLong(record + 24)).isEqualTo(9);
        assertThat(packets.getInt(record + 36)).isEqualTo(4);
        assertThat(folder.resolve("cpu6")).doesNotExist();
    }

    @Test
    void shouldDescribeWhatTheModuleDescribes() throws IOException {
        TraceFixture.writer(folder, RecordLayout.WIDE).close();
        String metadata = Files.readString(folder.resolve("metadata"));
        assertThat(metadata)
                .startsWith("/* CTF 1.8 */\n")
                .contains("\thostname = \"node1\";\n", "\tlayout = \"wide\";\n", "\tdescription = \"TSC\";\n")
                .contains("\tfreq = 2500000000;\n\toffset_s = 1789999999;\n\toffset = 2499995000;\n")
                .contains("\tname = \"f_open\";\n\tid = 1024;\n\tstream_id = 0;\n\tfields := struct {\n")
                .contains("\t\tu8 _small;\n\t\ts32 _ret;\n\t\ttext _name[12];\n\t};\n")
                .contains("\t\tu32 _len;\n\t\tx32 _flags;\n\t\tx8 _more[stream.event.header._more];\n")
                .contains("\t\tu32 _len;\n\t\tu32 _reserved0;\n\t\ttext _text[_len];\n")
                .contains("\t\tx8 _data[_captured];\n", "\t\tu64 _values[_n];\n")
                .contains("integer { size = 32; align = 16; signed = false; } _more;");
        assertThat(folder.resolve("metadata.new")).doesNotExist();
    }

    @Test
    void shouldNameReasonsOfDropsWhenTheyAreKnown() throws IOException {
        TraceFixture.writer(folder, RecordLayout.WIDE).close();
        assertThat(Files.readString(folder.resolve("metadata")))
                .contains(
                        "typealias enum : u32 {\n\t\"NOT_SPECIFIED\" = 2,\n\t\"NO_SOCKET\" = 3\n} := drop_reason;\n\n")
                .containsOnlyOnce("\t\tdrop_reason _reason;\n")
                .doesNotContain("\t\tu32 _reason;\n");
        Path other = folder.resolve("other");
        new TraceWriter(
                        other,
                        TraceFixture.withoutReasons(RecordLayout.WIDE),
                        () -> TraceFixture.format(RecordLayout.WIDE))
                .close();
        assertThat(Files.readString(other.resolve("metadata")))
                .doesNotContain("drop_reason")
                .containsOnlyOnce("\t\tu32 _reason;\n");
    }

    @Test
    void shouldSayWhatNumbersMean() throws IOException {
        new TraceWriter(
                        folder,
                        TraceFixture.origin(RecordLayout.WIDE),
                        () -> TraceFixture.formatWithWords(RecordLayout.WIDE))
                .close();
        assertThat(Files.readString(folder.resolve("metadata")))
                .contains("\tmachine = \"x86_64\";\n")
                .contains("typealias enum : u16 {\n\t\"inet\" = 2,\n\t\"inet6\" = 10\n} := family;\n\n")
                .contains("typealias enum : u32 {\n\t\"runnable\" = 0,\n\t\"sleeping\" = 1,\n")
                .contains(",\n\t\"preempted\" = 2147483648\n} := task_state;\n\n")
                .contains("""
                        typealias enum : u32 {
                        \t"GFP_KERNEL" = 3264,
                        \t"GFP_NOWAIT" = 2048,
                        \t"__GFP_COMP" = 262144
                        } := gfp_flags;
                        """)
                .contains("typealias enum : u32 {\n\t\"READ\" = 0,\n\t\"WRITE_ZEROES\" = 9\n} := block_op;\n\n")
                .containsOnlyOnce("\t\ttask_state _prev_state;\n")
                .containsOnlyOnce("\t\tgfp_flags _gfp_flags;\n")
                .containsOnlyOnce("\t\tirq_return _ret;\n")
                .contains("\t\tfamily _family;\n\t\tprotocol _protocol;\n")
                .contains("\t\tethertype _ethertype;\n", "\t\tblock_op _op;\n", "\t\tcpu_mode _mode;\n")
                .contains("\t\tu64 _ret;\n", "\t\tu32 _ret;\n")
                .doesNotContain("not_the_kernels", "WHATEVER");
    }

    @Test
    void shouldTellTheTimeOfDay() {
        TraceClock clock = TraceClock.of(true, 1_000_000, MONTH, 1_790_000_000_123_456_789L);
        assertThat(clock.realtimeNs(MONTH)).isEqualTo(1_790_000_000_123_456_789L);
        assertThat(TraceFixture.CLOCK.realtimeNs(TIMER + 2_500)).isEqualTo(1_790_000_000_000_001_000L);
        assertThat(TraceFixture.CLOCK.ticksPerMilli()).isEqualTo(2_500_000);
    }

    @Test
    void shouldDescribeLateComersBeforeTheirFirstPacket() throws IOException {
        List<List<String>> formats = new ArrayList<>(List.of(
                TraceFixture.builtIn(RecordLayout.WIDE),
                TraceFixture.format(RecordLayout.WIDE),
                TraceFixture.builtIn(RecordLayout.WIDE)));
        RecordWriter known = new RecordWriter().unknown(TraceFixture.open(RecordLayout.WIDE), 0, 1, 2);
        RecordWriter gone = new RecordWriter().unknown(0x7ff, 0, 1, 2);
        try (TraceWriter writer =
                new TraceWriter(folder, TraceFixture.origin(RecordLayout.WIDE), () -> formats.remove(0))) {
            assertThat(Files.readString(folder.resolve("metadata"))).doesNotContain("sample_text");
            TraceFixture.write(writer, 0, known);
            assertThat(Files.readString(folder.resolve("metadata"))).contains("sample_text");
            TraceFixture.write(writer, 0, known);
            TraceFixture.write(writer, 0, gone);
            assertThat(Files.readString(folder.resolve("metadata"))).contains("sample_text", "unknown_0x7ff");
        }
        assertThat(formats).isEmpty();
    }

    @Test
    void shouldNotTouchAFolderThatIsInUse() throws IOException {
        Files.writeString(folder.resolve("cpu0"), "precious");
        assertThatThrownBy(() -> TraceFixture.writer(folder, RecordLayout.WIDE))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessageContaining("it is not empty; a trace wants a folder of its own");
        assertThat(Files.readString(folder.resolve("cpu0"))).isEqualTo("precious");
    }

    @Test
    void shouldRefuseWhatItDoesNotUnderstand() {
        assertThatThrownBy(() -> new TraceWriter(
                        folder.resolve("a"),
                        TraceFixture.origin(RecordLayout.WIDE),
                        () -> TraceFixture.builtIn(RecordLayout.CLASSIC)))
                .hasMessageContaining("'layout classic' where records have layout WIDE");
        for (String line : List.of(
                "event 0x10 x",
                "event 0x10 x net size 40 abstract_id none fields len:u32",
                "event 0x10 x net size 40 abstract_id none fields len:u128@32",
                "event 0x10 x net size 40 abstract_id none fields len:u32@40",
                "event 0x10 x net size 40 abstract_id none fields len:u32@31",
                "event 0x10 x net size 30 abstract_id none fields")) {
            assertThatThrownBy(() -> new TraceWriter(
                            folder.resolve("b"),
                            TraceFixture.origin(RecordLayout.WIDE),
                            () -> List.of("layout wide", line)))
                    .as(line)
                    .isInstanceOf(TraceFormatException.class)
                    .hasMessageContaining(line);
        }
    }

    @Test
    void shouldNameProcessesInEachPartAsTheyAreCalledAtItsEnd() throws IOException {
        processNames.put(70, "sshd");
        processNames.put(71, "");
        processNames.put(4_194_304, "\u00c3\u00bc\";\n\\1} \u00ff");
        try (SavedTrace trace = saved(new Rotation(1L, null, 0, 0))) {
            write(trace, 1);
            assertThat(Files.readString(folder.resolve("000001/metadata"))).doesNotContain("sshd");
            write(trace, 1);
            processNames.put(70, "bash");
        }
        assertThat(Files.readString(folder.resolve("000001/metadata")))
                .contains("\tprocess_70 = \"sshd\";\n")
                .contains("\tprocess_4194304 = \"\\303\\274\\042\\073\\012\\1341} \\377\";\n");
        try (TraceReader trace = TraceReader.open(folder)) {
            assertThat(trace.processNames()).isEqualTo(Map.of(70, "bash", 4_194_304, "\u00c3\u00bc\";\n\\1} \u00ff"));
            assertThat(trace.sureNames())
                    .as("not of what parts call differently, or leave open")
                    .isEqualTo(Map.of(4_194_304, "\u00c3\u00bc\";\n\\1} \u00ff"));
            assertThat(trace.host()).isEqualTo("node1");
        }
    }

    @Test
    void shouldSayInEachPartWhoseProcessesAreWhenItBegins() throws IOException {
        Set<String> companions = Set.of("task_attach", "cgroup_mkdir");
        String odd = "/a\u00fc\";\\x2d\u2026" + "d".repeat(240);
        Deque<TraceOwners> known = new ArrayDeque<>(List.of(
                new TraceOwners(companions),
                new TraceOwners(companions, Map.of(70, 500L, 4_194_304, 501L), Map.of(500L, "/a", 501L, odd)),
                new TraceOwners(companions, Map.of(70, 501L), Map.of(502L, "/c"))));
        try (SavedTrace trace = saved(new Rotation(1L, null, 0, 0))) {
            trace.tellOwners(known::removeFirst);
            write(trace, 1);
            write(trace, 1);
            write(trace, 1);
        }
        assertThat(Files.readString(folder.resolve("000001/metadata")))
                .contains("\towners = \"cgroup_mkdir,task_attach\";\n")
                .doesNotContain("cgroup_of_");
        assertThat(Files.readString(folder.resolve("000002/metadata")))
                .contains("\tcgroup_of_70 = 500;\n\tcgroup_of_4194304 = 501;\n\tcgroup_500 = \"/a\";\n");
        try (TraceReader trace = TraceReader.open(folder)) {
            assertThat(trace.owners())
                    .as("the first part begins without; its records say it")
                    .contains(new TraceOwners(companions, Map.of(), Map.of(500L, "/a", 501L, odd, 502L, "/c")));
        }
        try (TraceReader trace = TraceReader.open(folder.resolve("000002"))) {
            assertThat(trace.owners().orElseThrow().cgroups()).isEqualTo(Map.of(70, 500L, 4_194_304, 501L));
        }
    }

    @Test
    void shouldNotSayOwnersOfATraceThatTellsNone() throws IOException {
        try (SavedTrace trace = saved(new Rotation(1L, null, 0, 0))) {
            write(trace, 1);
        }
        try (TraceReader trace = TraceReader.open(folder)) {
            assertThat(trace.owners()).isEmpty();
        }
    }

    private SavedTrace saved(Rotation rotation) throws IOException {
        return new SavedTrace(
                folder,
                rotation,
                () -> TraceFixture.origin(RecordLayout.WIDE),
                () -> TraceFixture.format(RecordLayout.WIDE),
                () -> processNames,
                () -> now);
    }

    private List<String> parts() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static void write(SavedTrace trace, int times) throws IOException {
        RecordWriter records = record(0, TIMER);
        for (int i = 0; i < times; i++) {
            trace.write(0, records.buffer(), 0, records.size());
        }
    }

    @Test
    void shouldRotateBySizeAndKeepTheNewestParts() throws IOException {
        try (SavedTrace trace = saved(new Rotation(150L, null, 2, 0))) {
            write(trace, 2);
            assertThat(parts()).containsExactly("000001");
            write(trace, 7);
            assertThat(parts()).containsExactly("000004", "000005");
            assertThat(trace.parts()).isEqualTo(5);
            assertThat(trace.removed()).isEqualTo(3);
        }
        assertThat(Files.size(folder.resolve("000004/cpu0"))).isEqualTo(2 * 96);
        assertThat(Files.size(folder.resolve("000005/cpu0"))).isEqualTo(96);
    }

    @Test
    void shouldRotateByTime() throws IOException {
        try (SavedTrace trace = saved(new Rotation(null, Duration.ofSeconds(60), 0, 0))) {
            now += 70_000_000_000L;
            write(trace, 1);
            assertThat(parts()).as("a part is not without a packet").containsExactly("000001");
            write(trace, 1);
            assertThat(parts()).containsExactly("000001", "000002");
            now += 59_000_000_000L;
            write(trace, 1);
            assertThat(parts()).containsExactly("000001", "000002");
        }
    }

    @Test
    void shouldGiveUpOldPartsAndThenItselfWhenTooLittleIsFree() throws IOException {
        try (SavedTrace trace = saved(new Rotation(150L, null, 0, Long.MAX_VALUE))) {
            assertThatThrownBy(() -> write(trace, 1))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("less is free on its file system than is to stay so");
        }
        assertThat(parts()).containsExactly("000001");
    }
}
