// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import magnet.record.EventType;
import magnet.record.RecordCursor;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.record.Words;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The cases of the kernel's own test of its rules, {@code sensor-kmod/tests/guest/filters.c}, and further ones. */
final class RuleFilterTest {
    private static final int IDS = 300;
    private static final long TICKS_PER_MILLI = 1_000;
    private static final int HEADER = RecordLayout.WIDE.headerSize();

    private static RuleFilter filter(String rules, List<Long> passed) throws RuleException {
        RecordFormats formats = new RecordFormats(RecordLayout.WIDE);
        try {
            ControlFormat.addTo(formats, TraceFixture.format(RecordLayout.WIDE));
        } catch (TraceFormatException e) {
            throw new AssertionError(e);
        }
        return new RuleFilter(
                formats.events(), TICKS_PER_MILLI, Words.common(), rules, record -> passed.add(record.abstractId()));
    }

    private static List<Long> passed(String rules, RecordWriter records) throws RuleException {
        List<Long> passed = new ArrayList<>();
        RuleFilter filter = filter(rules, passed);
        assertThat(new RecordCursor(RecordLayout.WIDE)
                        .wrap(records.buffer(), 0, records.size())
                        .forEach(filter))
                .isPositive();
        return passed;
    }

    /** Markers with the ids from 0, as their texts, a microsecond apart. */
    private static RecordWriter markers() {
        RecordWriter writer = new RecordWriter();
        for (long id = 0; id < IDS; id++) {
            writer.record(
                    EventType.MARKER, 0, 100, 101, id, id, Long.toString(id).length());
        }
        return writer;
    }

    private static Arguments rule(String rules, LongPredicate logged) {
        return Arguments.of(rules, logged);
    }

    private static boolean isListed(long id) {
        return id == 3 || (id >= 5 && id <= 9) || id == 150;
    }

    private static boolean hasTwoDigits(long id) {
        return id >= 10 && id < 100 && id != 50;
    }

    static Stream<Arguments> rules() {
        return Stream.of(
                rule("", id -> true),
                rule(" ; ;", id -> true),
                rule("log", id -> true),
                rule("drop", id -> false),
                rule("drop; log", id -> false),
                rule("log; drop", id -> true),
                rule("drop if id < 100", id -> id >= 100),
                rule("drop if id <= 100", id -> id > 100),
                rule("drop if id >= 100", id -> id < 100),
                rule("drop if id > 99", id -> id < 100),
                rule("drop if id != 7", id -> id == 7),
                rule("drop if id == 7", id -> id != 7),
                rule("drop if id == 0x7", id -> id != 7),
                rule("drop if id == 07", id -> id != 7),
                rule("drop if id & 1", id -> (id & 1) == 0),
                rule("drop if id & 5", id -> (id & 5) == 0),
                rule("drop if id & 0", id -> true),
                rule("log if id in 3,5-9,150; drop", RuleFilterTest::isListed),
                rule("drop if id in 3,5-9,150", id -> !isListed(id)),
                rule("drop if id != 3,5-9,150", RuleFilterTest::isListed),
                rule("log if len == 2 and id != 50; drop", RuleFilterTest::hasTwoDigits),
                rule("drop if len != 2;drop if id == 50", RuleFilterTest::hasTwoDigits),
                rule("\tlog  if id in 10-12 \n drop if id >= 0", id -> id >= 10 && id <= 12),
                rule("log if id >= 200; sample 10 if id >= 100; drop", id -> id >= 200 || (id >= 100 && id % 10 == 0)),
                rule("every 3600s", id -> id == 0),
                rule("log if id < 20; every 60000ms", id -> id <= 20),
                rule("every 10us", id -> id % 10 == 0),
                rule("every 0.01ms", id -> id % 10 == 0),
                rule("every 60", id -> id == 0),
                rule("every 0.5h", id -> id == 0),
                rule("drop if cpu == 0", id -> false),
                rule("drop if cpu in 1-65535", id -> true),
                rule("drop if cpu > 0", id -> true),
                rule("urgent if id == 7", id -> true),
                rule("drop if id > 0xfffffffffffffffe", id -> true),
                rule("drop if id >= 0 and id >= 1 and id >= 2 and id >= 3 and id >= 100", id -> id < 100),
                rule("drop if tgid != 100; drop if tid != 101", id -> true),
                rule("drop if tid == 101", id -> false));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void shouldLetThroughWhatTheySay(String rules, LongPredicate logged) throws RuleException {
        assertThat(passed(rules, markers()))
                .isEqualTo(LongStream.range(0, IDS).filter(logged).boxed().toList());
    }

    /** One event at the beginning, one just before the time is over, and one when it is. */
    @ParameterizedTest
    @MethodSource("magnet.unit.WrittenTimes#times")
    void shouldReadTimesAsOptionsAndConfigurationDo(String text, long micros) throws RuleException {
        RecordWriter writer = new RecordWriter();
        for (long timer : new long[] {0, micros - 1, micros}) {
            writer.record(EventType.MARKER, 0, 100, 101, timer, timer, 1);
        }
        assertThat(passed("every " + text, writer)).containsExactly(0L, micros);
    }

    @ParameterizedTest
    @MethodSource("magnet.unit.WrittenTimes#noTimes")
    void shouldRefuseWhatIsNoTimeElsewhere(String text) {
        assertThatThrownBy(() -> filter("every " + text, new ArrayList<>())).hasMessageContaining("wants a time");
    }

    @ParameterizedTest
    @CsvSource({
        "log drop, if TEST",
        "keep, begins with log",
        "drop if, FIELD OP VALUE",
        "drop if id, FIELD OP VALUE",
        "drop if id ==, FIELD OP VALUE",
        "drop if id = 5, OP is ==",
        "drop if id == 5 or id == 6, joined by",
        "drop if id == 5 and, FIELD OP VALUE",
        "drop if nosuch == 5, has a field 'nosuch'",
        "drop if id == five, no number",
        "drop if id == -1, no number",
        "drop if id == 08, no number",
        "drop if id == 0x-1, no number",
        "drop if network_len == 4294967296, no number",
        "drop if id in 9-5, smaller value",
        "drop if id < 0, smallest",
        "drop if network_len > 4294967295, smallest",
        "sample, wants a number",
        "sample 0, wants a number",
        "sample 2147483648, wants a number",
        "sample x if id == 1, wants a number",
        "every, wants a time",
        "every 0s, wants a time",
        "every 5min, wants a time",
        "every 2h, wants a time",
        "every 3601s, wants a time",
        "every 0.9us, wants a time",
        "every 1d, wants a time",
        "every 20 ms, if TEST",
        "log; drop if id == 1x, no number",
        "drop if saddr > ::1, 'compared with ==, != and in'",
        "drop if saddr == 10.0.0.256, IPv4 or IPv6",
        "drop if saddr == localhost, IPv4 or IPv6",
        "drop if saddr == 10.0.0.0/33, IPv4 or IPv6",
        "drop if saddr == 10.0.0.0/, IPv4 or IPv6",
        "drop if saddr == ::1/129, IPv4 or IPv6",
        "drop if name == 5, is a text",
    })
    void shouldExplainWhatIsWrong(String rules, String text) {
        assertThatThrownBy(() -> filter(rules, new ArrayList<>()))
                .isInstanceOf(RuleException.class)
                .hasMessageContaining(text);
    }

    @Test
    void shouldRefuseTooMuch() throws RuleException {
        filter("drop if id == 5;".repeat(64), new ArrayList<>());
        assertThatThrownBy(() -> filter("drop if id == 5;".repeat(65), new ArrayList<>()))
                .hasMessageContaining("at most 64 rules");
        assertThatThrownBy(() -> filter("drop if id == 5" + " and id == 5".repeat(16), new ArrayList<>()))
                .hasMessageContaining("at most 16 tests");
        assertThatThrownBy(() -> filter("drop if id in 1" + ",1".repeat(32), new ArrayList<>()))
                .hasMessageContaining("at most 32 values");
        assertThatThrownBy(() -> filter("drop if id in " + "1".repeat(512), new ArrayList<>()))
                .hasMessageContaining("at most 511 characters");
    }

    @ParameterizedTest
    @CsvSource({
        "drop if ret >= 0, -10 -9",
        "drop if ret < 0, 0 7",
        "drop if ret != -9, -9",
        "'drop if ret in -10--9', 0 7",
        "drop if ret in -9-0, -10 7",
        "drop if ret > -10, -10",
        "drop if ret < -9, -9 0 7",
        "drop if ret & 1, -10 0",
    })
    void shouldKnowSigns(String rules, String values) throws RuleException {
        RecordWriter writer = new RecordWriter();
        for (int value : new int[] {-10, -9, 0, 7}) {
            int start = writer.header(HEADER + 24, 0, TraceFixture.dynamic(RecordLayout.WIDE), 1, 1, value, 1);
            writer.buffer().putInt(start + HEADER + 4, value);
        }
        assertThat(passed(rules, writer))
                .isEqualTo(Stream.of(values.split(" ", -1)).map(Long::valueOf).toList());
    }

    @Test
    void shouldSampleOnEachCpuAndForEachEvent() throws RuleException {
        RecordWriter writer = new RecordWriter();
        for (int id = 0; id < 12; id++) {
            EventType type = id < 6 ? EventType.MARKER : EventType.SCHED_SWITCH;
            writer.record(type, id % 2 * 9, 1, 1, id, id);
        }
        assertThat(passed("sample 3", writer)).containsExactly(0L, 1L, 6L, 7L);
    }

    @Test
    void shouldNotMatchEventsWithoutTheField() throws RuleException {
        RecordWriter writer = new RecordWriter()
                .record(EventType.MARKER, 0, 1, 1, 1, 1, 3)
                .record(EventType.SCHED_SWITCH, 0, 1, 1, 2, 1)
                .unknown(0x7ff, 0, 3, 4);
        assertThat(passed("drop if len == 3", writer)).containsExactly(2L, 0L);
        assertThat(passed("log if len != 3; drop", writer))
                .as("nobody described the last one")
                .containsExactly(0L);
    }

    @Test
    void shouldPassWhatTheSensorSaysOfItself() throws RuleException {
        RecordWriter writer = new RecordWriter()
                .record(EventType.LOST, 0, 0, 0, 1, 1, 3)
                .record(EventType.CLOCK, 0, 0, 0, 2, 1)
                .record(EventType.STORM, 0, 0, 0, 3, 1)
                .record(EventType.MARKER, 0, 1, 1, 4, 1)
                .record(EventType.COUNTERS, 0, 1, 1, 5, 1)
                .record(EventType.SCHED_SWITCH, 0, 1, 1, 6, 1)
                .record(EventType.COUNTERS, 0, 1, 1, 7, 1);
        assertThat(passed("drop if id == 4", writer))
                .as("counters go with their event")
                .containsExactly(1L, 2L, 3L, 6L, 7L);
    }

    // ---- packets ----

    private static final String UDP4 = "4500001c00010000 4011 0000 0a000001 0a000102 0035 1f90 0008 0000";
    private static final String FRAGMENT4 = "4500001c00012001 4011 0000 0a000001 0a000102 0035 1f90 0008 0000";
    private static final String ICMP4 = "4500001c00010000 4001 0000 0a000001 0a000102 0800 0000 0000 0000";
    private static final String OPTIONS4 = "4600002000010000 4006 0000 c0a80001 c0a80002 01010101 0050 1f90";
    private static final String UDP6 =
            "60000000 0008 11 40 fd000000000000000000000000000001 fe800000000000000000000000000002 0035 1f90";
    private static final String HOPS6 = "60000000 0010 00 40 fd000000000000000000000000000001"
            + " fe800000000000000000000000000002 06 00 000000000000 0050 1f90";
    private static final String FRAGMENT6 = "60000000 0010 2c 40 fd000000000000000000000000000001"
            + " fe800000000000000000000000000002 11 00 0008 00000000 0035 1f90";
    private static final String ARP = "0001080006040001";

    private static RecordWriter packets(String... hex) {
        RecordWriter writer = new RecordWriter();
        for (int i = 0; i < hex.length; i++) {
            byte[] bytes = HexFormat.of().parseHex(hex[i].replace(" ", ""));
            int padded = (bytes.length + 7) / 8 * 8;
            int start = writer.header(HEADER + 24 + padded, 0, EventType.UDP_RCV.id(), 1, 1, i, 1);
            writer.buffer().putShort(start + HEADER + 18, (short) bytes.length);
            writer.buffer().put(start + HEADER + 24, bytes);
        }
        return writer;
    }

    @ParameterizedTest
    @CsvSource({
        "protocol == udp, 0 1 4 6",
        "protocol == 17, 0 1 4 6",
        "protocol == icmp, 2",
        "protocol == tcp, 3 5",
        "protocol == 0, 7",
        "sport == 53, 0 4",
        "dport in 1-65535, 0 3 4 5",
        "dport == 0, 1 2 6 7",
        "'saddr in 10.0.0.0/8,fd00::/8', 0 1 2 4 5 6",
        "saddr == 10.0.0.1, 0 1 2",
        "saddr == ::ffff:10.0.0.1, 0 1 2",
        "saddr != 10.0.0.1, 3 4 5 6 7",
        "daddr == fe80::2, 4 5 6",
        "daddr in fe80::/10, 4 5 6",
        "daddr in ::/0, 0 1 2 3 4 5 6 7",
        "daddr in 0.0.0.0/0, 0 1 2 3",
    })
    void shouldReadTheHeadersOfPackets(String test, String ids) throws RuleException {
        RecordWriter packets = packets(UDP4, FRAGMENT4, ICMP4, OPTIONS4, UDP6, HOPS6, FRAGMENT6, ARP);
        assertThat(passed("log if " + test + "; drop", packets))
                .isEqualTo(Stream.of(ids.split(" ", -1)).map(Long::valueOf).toList());
    }

    @Test
    void shouldNotGuessTheHeadersOfPacketsThatAreNotThere() throws RuleException {
        RecordWriter packets = packets("", UDP4.substring(0, 40), UDP4);
        List<Long> passed = new ArrayList<>();
        RuleFilter filter = filter("drop if dport != 53", passed);
        new RecordCursor(RecordLayout.WIDE)
                .wrap(packets.buffer(), 0, packets.size())
                .forEach(filter);
        assertThat(passed).containsExactly(0L, 1L);
        assertThat(filter.untold()).isEqualTo(2);
        assertThat(filter.dropped()).isEqualTo(1);
    }
}
