// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import magnet.cli.TestWorld;
import magnet.cli.world.Formats;
import magnet.cli.world.ProcessChoice;
import magnet.control.FakeModule;
import magnet.record.EventType;
import magnet.record.RecordCursor;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.record.Words;
import magnet.trace.EventFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EventTallyTest {
    private static final int EVENTS = 1_000;
    private static final int ROUNDS = 400;
    private static final int WARM_UP = 100;
    /** An object for each event would be megabytes. */
    private static final long MOST_BYTES = 16_384;

    private static final Words WORDS = Formats.withSystemCalls(Words.common(), "x86_64");

    private final BytePool pool = new BytePool();
    private final GroupNames.Source nobody = new SourceOf(Map.of());

    private EventTally tally(EventType type, String field, List<String> by) throws IOException {
        EventValues values = new EventValues(EventFormat.of(type), true, RecordLayout.WIDE, 2_500_000, pool, null);
        Grouping grouping = Grouping.of(List.of(values), field, by, false);
        return new EventTally(grouping, names(grouping), ProcessChoice.ALL, Long.MAX_VALUE);
    }

    private GroupNames names(Grouping grouping) {
        return new GroupNames(grouping.kinds(), pool, WORDS, nobody);
    }

    private static long read(RecordWriter records, EventTally tally) {
        RecordCursor cursor = new RecordCursor(RecordLayout.WIDE).wrap(records.buffer(), 0, records.size());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        cursor.forEach(tally);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private void assertNothingIsAllocated(RecordWriter records, EventTally tally) {
        long allocated = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long its = read(records, tally);
            allocated += round < WARM_UP ? 0 : its;
        }
        assertThat(tally.counted()).isEqualTo((long) ROUNDS * EVENTS);
        assertThat(allocated).isLessThan(MOST_BYTES);
    }

    @Test
    void shouldAllocateNothingForAnEvent() throws IOException {
        RecordWriter records = new RecordWriter(RecordLayout.WIDE, 1 << 20);
        for (int i = 0; i < EVENTS; i++) {
            records.record(EventType.UDP_SENDMSG, i % 4, i % 37, i % 41, i, 1, i * 13L, 2, 17);
        }
        assertNothingIsAllocated(records, tally(EventType.UDP_SENDMSG, "len", List.of("process", "cpu")));
    }

    @Test
    void shouldAllocateNothingForPortsAndAddresses() throws IOException {
        RecordWriter records = new RecordWriter(RecordLayout.WIDE, 1 << 20);
        for (int i = 0; i < EVENTS; i++) {
            Packets.udp(records, EventType.UDP_RCV, i, 0x0a00_0001 + i % 7, 53 + i % 3);
        }
        EventTally tally = tally(EventType.UDP_RCV, "", List.of("daddr", "port"));
        assertNothingIsAllocated(records, tally);
        assertThat(tally.totals().ranked()).hasSize(21);
        assertThat(tally.untold()).isZero();
    }

    @Test
    void shouldNotCountWhatIsTooShort() throws IOException {
        EventFormat event = EventFormat.ofDefinition(0x400, "p_two", "p:two a=$arg1 b=$arg2");
        Grouping grouping = Grouping.of(
                List.of(new EventValues(event, true, RecordLayout.WIDE, 2_500_000, pool, null)), "b", List.of(), false);
        EventTally tally = new EventTally(grouping, names(grouping), ProcessChoice.ALL, Long.MAX_VALUE);
        read(new RecordWriter().unknown(0x400, 0, 1, 5).unknown(0x400, 0, 1, 5, 6), tally);
        assertThat(tally.counted()).isEqualTo(1);
        assertThat(tally.unfit()).isEqualTo(1);
        assertThat(tally.totals().most(0)).isEqualTo(6);
    }

    @Test
    void shouldTellOfPacketsWithoutHeaders() throws IOException {
        EventTally tally = tally(EventType.UDP_RCV, "", List.of("port", "protocol"));
        read(new RecordWriter().record(EventType.UDP_RCV, 0, 1, 1, 0, 1, 7, 100, 2), tally);
        assertThat(tally.counted()).isEqualTo(1);
        assertThat(tally.untold()).isEqualTo(1);
        assertThat(tally.names().shown(0, tally.totals().key(0, 0))).isEqualTo("none");
        assertThat(tally.names().shown(1, tally.totals().key(0, 1))).isEqualTo("none");
    }

    @Test
    void shouldCountLossesOnce() throws IOException {
        EventTally tally = tally(EventType.UDP_SENDMSG, "", List.of());
        read(
                new RecordWriter()
                        .record(EventType.LOST, 0, 0, 0, 0, 1, 3, 1, 2)
                        .record(EventType.STORM, 0, 0, 0, 16, 1, 4, 1, 2),
                tally);
        assertThat(tally.takeLost()).isEqualTo(7);
        assertThat(tally.takeLost()).isZero();
    }

    @Test
    void shouldTakeNumbersAsBpftraceDoes() throws IOException {
        EventFormat event = EventFormat.ofDefinition(
                0x400,
                "p_all",
                "p:all a=$arg1:u8 b=$arg2:s8 c=$arg3:u16 d=$arg4:s16 e=$arg5:u32 f=$arg6:s32 g=$arg7:u64");
        long[] expected = {0xff, -1, 0xffff, -1, 0xffff_ffffL, -1, -1};
        for (int i = 0; i < expected.length; i++) {
            String field = String.valueOf((char) ('a' + i));
            Grouping grouping = Grouping.of(
                    List.of(new EventValues(event, true, RecordLayout.WIDE, 2_500_000, pool, null)),
                    field,
                    List.of(),
                    false);
            EventTally tally = new EventTally(grouping, names(grouping), ProcessChoice.ALL, Long.MAX_VALUE);
            read(new RecordWriter().unknown(0x400, 0, 1, -1, -1, -1), tally);
            assertThat(tally.totals().least(0)).as(field).isEqualTo(expected[i]);
        }
    }

    @Test
    void shouldTurnTicksOfALatencyIntoNanoseconds() throws IOException {
        EventTally tally = tally(EventType.MAJOR_FAULT, "latency", List.of());
        read(new RecordWriter().record(EventType.MAJOR_FAULT, 0, 1, 1, 0, 1, 2_500_000_002L), tally);
        assertThat(tally.totals().most(0)).isEqualTo(1_000_000_000);
        assertThat(tally.grouping().fieldKind()).isEqualTo(ValueKind.NANOS);
    }

    /** What ends after the jump and began before it has no length; the first that ends after it says where it was. */
    @Test
    void shouldMeasureNothingAcrossAJumpOfTheTimer() throws IOException {
        EventTally tally = tally(EventType.MAJOR_FAULT, "latency", List.of());
        read(new RecordWriter().record(EventType.MAJOR_FAULT, 0, 1, 1, 0, 50_000, 2_500), tally);
        tally.onNewEpoch(1);
        read(
                new RecordWriter()
                        .record(EventType.MAJOR_FAULT, 0, 1, 1, 0, 10_000, -40_000)
                        .record(EventType.MAJOR_FAULT, 0, 1, 1, 0, 20_000, 10_001)
                        .record(EventType.MAJOR_FAULT, 0, 1, 1, 0, 20_000, 5_000),
                tally);
        assertThat(tally.counted()).isEqualTo(2);
        assertThat(tally.spanning()).isEqualTo(2);
        assertThat(tally.uncounted()).isEqualTo(2);
        assertThat(tally.totals().least(0)).isEqualTo(1_000);
        assertThat(tally.totals().most(0)).isEqualTo(2_000);
        tally.clear();
        assertThat(tally.uncounted()).isZero();
    }

    @Test
    void shouldCountEventsAcrossAJumpWhereNoLatencyIsAskedFor() throws IOException {
        EventTally tally = tally(EventType.MAJOR_FAULT, "", List.of("cpu"));
        tally.onNewEpoch(1);
        read(new RecordWriter().record(EventType.MAJOR_FAULT, 0, 1, 1, 0, 10_000, -40_000), tally);
        assertThat(tally.counted()).isEqualTo(1);
    }

    /** One number of a 32-bit program's and of another's is two calls; -1 is what a debugger makes of one that it forbids. */
    @Test
    void shouldTellSystemCallsOf32BitProgramsApart() throws IOException {
        EventTally tally = tally(EventType.SYS_ENTER, "", List.of("nr"));
        read(
                new RecordWriter()
                        .record(EventType.SYS_ENTER, 0, 1, 1, 4, 1, 0, 0, 0, 1)
                        .record(EventType.SYS_ENTER, 0, 1, 1, 4, 2)
                        .record(EventType.SYS_ENTER, 0, 1, 1, 99_999, 2)
                        .record(EventType.SYS_ENTER, 0, 1, 1, 4, 3)
                        .record(EventType.SYS_ENTER, 0, 1, 1, -1, 4, 0, 0, 0, 1),
                tally);
        assertThat(tally.totals().ranked().stream()
                        .map(group -> tally.names().shown(0, tally.totals().key(group, 0)) + " "
                                + tally.totals().count(group)))
                .containsExactlyInAnyOrder("stat 2", "write 1", "99999 1", Long.toUnsignedString(-1) + " 1");
    }

    /** Eight characters, of each number others. */
    private static long text(long number) {
        long text = 0;
        for (int at = 0; at < Long.BYTES; at++) {
            text |= ('0' + ((number >> (4 * at)) & 0xf)) << (Byte.SIZE * at);
        }
        return text;
    }

    private void assertTold(Path folder, EventTally tally, String line) throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule());
        new Aggregation(world.world(), "count", new AggregateOptions(), "", List.of()).tellLeftOut(tally, "");
        assertThat(world.errLines()).containsExactly("magnet: " + line);
    }

    /** What -i forgets after each interval the last line has yet to tell. */
    @Test
    void shouldTellOfGroupsWithoutRoomInAllIntervals(@TempDir Path folder) throws IOException {
        EventTally tally = tally(EventType.UDP_SENDMSG, "", List.of("cookie"));
        for (int interval = 0; interval < 2; interval++) {
            for (int from = 0; from < GroupTotals.COUNTED_MOST + EVENTS; from += EVENTS) {
                RecordWriter records = new RecordWriter(RecordLayout.WIDE, 1 << 18);
                for (int i = from; i < Math.min(from + EVENTS, GroupTotals.COUNTED_MOST + 7); i++) {
                    records.record(EventType.UDP_SENDMSG, 0, 1, 1, i, 1);
                }
                read(records, tally);
            }
            assertThat(tally.totals().others()).isEqualTo(7);
            tally.clear();
        }
        assertTold(folder, tally, "there is room for 65536 groups: 14 events were counted together, as others");
    }

    @Test
    void shouldTellOfTextsWithoutRoom(@TempDir Path folder) throws IOException {
        EventFormat event = EventFormat.ofDefinition(0x400, "p_two", "p:two a=$arg1:char[8] b=$arg2:char[8]");
        EventValues values = new EventValues(event, true, RecordLayout.WIDE, 2_500_000, pool, null);
        Grouping grouping = Grouping.of(List.of(values), "", List.of("a", "b"), false);
        EventTally tally = new EventTally(grouping, names(grouping), ProcessChoice.ALL, Long.MAX_VALUE);
        for (int from = 0; from < BytePool.MOST; from += EVENTS) {
            RecordWriter records = new RecordWriter(RecordLayout.WIDE, 1 << 18);
            for (long i = from; i < Math.min(from + EVENTS, BytePool.MOST / 2 + 3); i++) {
                records.unknown(0x400, 0, 1, text(2 * i), text(2 * i + 1));
            }
            read(records, tally);
        }
        assertThat(tally.totals().count(tally.totals().ranked().get(0))).isEqualTo(3);
        assertThat(tally.names()
                        .shown(0, tally.totals().key(tally.totals().ranked().get(0), 0)))
                .isEqualTo("(others)");
        tally.clear();
        assertTold(
                folder,
                tally,
                "there is room for 65536 texts and addresses, 8M together: 3 events were counted under (others)");
    }

    /** As docs/aggregate.md has it: bytes that are UTF-8 are the character that they are. */
    @Test
    void shouldShowTheCharacterOfWhatIsUtf8() throws IOException {
        EventFormat event = EventFormat.ofDefinition(0x400, "p_one", "p:one a=$arg1:char[8]");
        EventValues values = new EventValues(event, true, RecordLayout.WIDE, 2_500_000, pool, null);
        Grouping grouping = Grouping.of(List.of(values), "", List.of("a"), false);
        EventTally tally = new EventTally(grouping, names(grouping), ProcessChoice.ALL, Long.MAX_VALUE);
        read(new RecordWriter().unknown(0x400, 0, 1, 0x61_ac82_e2L), tally);
        assertThat(tally.names().shown(0, tally.totals().key(0, 0))).isEqualTo("\u20aca");
        assertThat(tally.names().value(0, tally.totals().key(0, 0))).isEqualTo("\u20aca");
    }

    /** Names of a test. */
    record SourceOf(Map<Integer, String> threads) implements GroupNames.Source {
        @Override
        public String ofThread(int id) {
            return threads.getOrDefault(id, "");
        }

        @Override
        public String ofInterface(int index) {
            return index == 2 ? "eth0" : "";
        }

        @Override
        public String ofDisk(int major, int minor) {
            return major == 8 && minor == 0 ? "sda" : "";
        }

        @Override
        public String ofEvent(int id) {
            return "";
        }
    }
}
