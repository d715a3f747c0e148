// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import magnet.record.EventType;
import magnet.record.RecordCursor;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.trace.EventFormat;
import org.junit.jupiter.api.Test;

final class EventTallyTest {
    private static final int EVENTS = 1_000;
    private static final int ROUNDS = 400;
    private static final int WARM_UP = 100;
    /** An object for each event would be megabytes. */
    private static final long MOST_BYTES = 16_384;

    private final BytePool pool = new BytePool();
    private final GroupNames.Source nobody = new SourceOf(Map.of());

    private EventTally tally(EventType type, String field, List<String> by) throws IOException {
        EventValues values = new EventValues(EventFormat.of(type), true, RecordLayout.WIDE, 2_500_000, pool);
        Grouping grouping = Grouping.of(List.of(values), field, by);
        return new EventTally(
                grouping, new GroupNames(grouping.kinds(), pool, nobody), ProcessChoice.ALL, Long.MAX_VALUE);
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
        Grouping grouping =
                Grouping.of(List.of(new EventValues(event, true, RecordLayout.WIDE, 2_500_000, pool)), "b", List.of());
        EventTally tally = new EventTally(
                grouping, new GroupNames(grouping.kinds(), pool, nobody), ProcessChoice.ALL, Long.MAX_VALUE);
        read(new RecordWriter().unknown(0x400, 0, 1, 5).unknown(0x400, 0, 1, 5, 6), tally);
        assertThat(tally.counted()).isEqualTo(1);
        assertThat(tally.unfit()).isEqualTo(1);
        assertThat(tally.totals().most(0)).isEqualTo(6);
    }

    @Test
    void shouldTellOfPacketsWithoutHeaders() throws IOException {
        EventTally tally = tally(EventType.UDP_RCV, "", List.of("port"));
        read(new RecordWriter().record(EventType.UDP_RCV, 0, 1, 1, 0, 1, 7, 100, 2), tally);
        assertThat(tally.counted()).isEqualTo(1);
        assertThat(tally.untold()).isEqualTo(1);
        assertThat(tally.names().shown(ValueKind.PORT, tally.totals().key(0, 0)))
                .isEqualTo("none");
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
                    List.of(new EventValues(event, true, RecordLayout.WIDE, 2_500_000, pool)), field, List.of());
            EventTally tally = new EventTally(
                    grouping, new GroupNames(grouping.kinds(), pool, nobody), ProcessChoice.ALL, Long.MAX_VALUE);
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
        public String ofDropReason(int reason) {
            return "";
        }

        @Override
        public String ofEvent(int id) {
            return "";
        }
    }
}
