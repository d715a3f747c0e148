// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TraceCopyTest {
    private static final long SEED = 20_261_127;
    private static final int ROUNDS = 20;
    private static final long TICKS_PER_MILLI = TraceFixture.CLOCK.ticksPerMilli();

    @TempDir
    private Path folder;

    private Path source;
    private Path target;

    @BeforeEach
    void name() {
        source = folder.resolve("source");
        target = folder.resolve("target");
    }

    /** What a packet's header says, and how many records follow. */
    private record Header(long begin, long end, long content, long size, long discarded, int cpu) {}

    private static List<Header> headers(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
        List<Header> headers = new ArrayList<>();
        for (int at = 0; at < bytes.capacity(); at += (int) (bytes.getLong(at + 32) / 8)) {
            assertThat(bytes.getInt(at)).isEqualTo(0xc1fc1fc1);
            headers.add(new Header(
                    bytes.getLong(at + 8),
                    bytes.getLong(at + 16),
                    bytes.getLong(at + 24),
                    bytes.getLong(at + 32),
                    bytes.getLong(at + 40),
                    bytes.getInt(at + 48)));
        }
        return headers;
    }

    private static String hex(RecordFlyweight record) {
        byte[] bytes = new byte[record.size()];
        record.buffer().get(record.offset(), bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static List<String> records(Path trace) throws IOException {
        List<String> records = new ArrayList<>();
        try (TraceReader reader = TraceReader.open(trace)) {
            reader.read(record -> records.add(hex(record)));
            assertThat(reader.defects()).isEmpty();
        }
        return records;
    }

    @FunctionalInterface
    private interface Middle {
        RecordHandler before(TraceReader reader, TraceCopy copy) throws IOException;
    }

    private void copy(Middle middle) throws IOException {
        try (UnfinishedFolder out = new UnfinishedFolder(target);
                TraceReader reader = TraceReader.open(source);
                TraceCopy copy = new TraceCopy(reader, out, "")) {
            reader.read(middle.before(reader, copy));
            copy.end();
            copy.describe();
            out.finish();
        }
    }

    private static List<Path> files(Path of) throws IOException {
        try (Stream<Path> all = Files.walk(of)) {
            return all.filter(Files::isRegularFile).map(of::relativize).sorted().toList();
        }
    }

    @ParameterizedTest
    @EnumSource(RecordLayout.class)
    void shouldBeTheSameFilesIfAllIsKept(RecordLayout layout) throws IOException {
        for (int part = 1; part <= 2; part++) {
            try (TraceWriter writer = TraceFixture.writer(source.resolve("00000" + part), layout)) {
                for (int packet = 0; packet < 6; packet++) {
                    TraceFixture.write(
                            writer,
                            packet % 2,
                            TraceFixture.everything(layout, packet % 2, 100_000L * part + 1_000L * packet));
                }
                writer.name(Map.of(7, "seven", 8, "\"\t;"));
            }
        }
        Files.createFile(source.resolve("000002/cpu3"));
        copy((reader, copy) -> copy);
        assertThat(files(target)).isEqualTo(files(source)).hasSize(7);
        for (Path file : files(source)) {
            assertThat(target.resolve(file)).as("%s", file).hasSameBinaryContentAs(source.resolve(file));
        }
    }

    @ParameterizedTest
    @EnumSource(RecordLayout.class)
    void shouldKeepHeadersAndLossesOfPacketsThatBecomeEmpty(RecordLayout layout) throws IOException {
        try (TraceWriter writer = TraceFixture.writer(source, layout)) {
            RecordWriter records = new RecordWriter(layout, 4_096);
            for (int packet = 0; packet < 4; packet++) {
                TraceFixture.write(
                        writer,
                        0,
                        records.clear()
                                .record(EventType.UDP_SENDMSG, 0, 7, 7, packet, 100L * packet + 10, 1, 2, 17)
                                .record(EventType.LOST, 0, 0, 0, 0, 100L * packet + 20, packet, 0, 0)
                                .record(EventType.UDP_SENDMSG, 0, 7, 7, packet, 100L * packet + 30, 1, 2, 17));
            }
        }
        copy((reader, copy) -> record -> {
            if (record.abstractId() == 2) {
                copy.onRecord(record);
            }
        });
        List<Header> before = headers(source.resolve("cpu0"));
        List<Header> after = headers(target.resolve("cpu0"));
        assertThat(after).extracting(Header::begin).containsExactly(10L, 110L, 210L, 310L);
        assertThat(after).extracting(Header::end).containsExactly(30L, 130L, 230L, 330L);
        assertThat(after).extracting(Header::discarded).containsExactly(0L, 1L, 3L, 6L);
        assertThat(before).extracting(Header::discarded).containsExactly(0L, 1L, 3L, 6L);
        assertThat(after)
                .extracting(Header::size)
                .containsExactly(448L, 448L, after.get(2).size(), 448L);
        assertThat(after)
                .extracting(Header::content)
                .as("babeltrace2 looks for an event where the content goes on behind the CPU's number")
                .containsExactly(416L, 416L, after.get(2).content(), 416L);
        List<String> all = records(source);
        assertThat(records(target)).containsExactly(all.get(6), all.get(8));
    }

    @Test
    void shouldSplitAPacketThatIsTooLarge() throws IOException {
        int count = 15_000;
        try (TraceWriter writer = TraceFixture.writer(source, RecordLayout.WIDE)) {
            RecordWriter records = new RecordWriter(RecordLayout.WIDE, 1 << 20);
            for (int i = 0; i < count; i++) {
                boolean loss = i % 5_000 == 1;
                records.record(loss ? EventType.LOST : EventType.UDP_SENDMSG, 0, 7, 7, i, 10L * i, 3);
            }
            TraceFixture.write(writer, 0, records);
        }
        copy((reader, copy) -> copy);
        assertThat(records(target)).hasSize(count).isEqualTo(records(source));
        List<Header> headers = headers(target.resolve("cpu0"));
        assertThat(headers).hasSize(3);
        assertThat(headers.get(0).begin()).isZero();
        assertThat(headers.get(2).end()).isEqualTo(10L * (count - 1));
        for (int i = 1; i < headers.size(); i++) {
            assertThat(headers.get(i).begin()).isEqualTo(headers.get(i - 1).end() + 10);
        }
        assertThat(headers)
                .extracting(Header::discarded)
                .as("three are lost with each of the records 1, 5001 and 10001; a packet has more than 6500")
                .containsExactly(6L, 9L, 9L);
    }

    /** A record that the test made. */
    private record Made(EventType type, int cpu, int tgid, long id, long timer, long length, String bytes) {}

    private static Made make(Random random, long timer, RecordWriter to, int cpu) {
        EventType type = switch (random.nextInt(8)) {
            case 0 -> EventType.LOST;
            case 1 -> EventType.SCHED_PROCESS_FORK;
            case 2, 3 -> EventType.SCHED_SWITCH;
            default -> EventType.UDP_SENDMSG;
        };
        int tgid = 100 + random.nextInt(10);
        long id = random.nextInt(16);
        long length = random.nextInt(1_000);
        int begin = to.size();
        to.record(type, cpu, tgid, tgid, id, timer, length, 2);
        byte[] bytes = new byte[to.size() - begin];
        to.buffer().get(begin, bytes);
        return new Made(type, cpu, tgid, id, timer, length, HexFormat.of().formatHex(bytes));
    }

    /** Behind an event, with its time. */
    private static Made counters(RecordLayout layout, Made event, RecordWriter to) {
        int begin = to.size();
        int size = layout.headerSize() + 8 + 16;
        to.header(size, event.cpu, EventType.COUNTERS.id(), event.tgid, event.tgid, 0, event.timer);
        to.buffer().putInt(begin + layout.headerSize(), 3).putInt(begin + layout.headerSize() + 4, 2);
        byte[] bytes = new byte[size];
        to.buffer().get(begin, bytes);
        return new Made(
                EventType.COUNTERS,
                event.cpu,
                event.tgid,
                0,
                event.timer,
                0,
                HexFormat.of().formatHex(bytes));
    }

    /** Parts with packets of three CPUs at random; returns the records in the order of time. */
    private List<Made> save(Random random, RecordLayout layout) throws IOException {
        List<Made> made = new ArrayList<>();
        long timer = 1_000;
        int parts = 1 + random.nextInt(3);
        for (int part = 1; part <= parts; part++) {
            Path to = parts == 1 ? source : source.resolve("%06d".formatted(part));
            try (TraceWriter writer = TraceFixture.writer(to, layout)) {
                RecordWriter[] packets = new RecordWriter[3];
                for (int i = 0; i < packets.length; i++) {
                    packets[i] = new RecordWriter(layout, 256 * 1_024);
                }
                for (int i = 0; i < 400; i++) {
                    timer += 1 + random.nextInt(200_000);
                    int cpu = random.nextInt(packets.length);
                    Made event = make(random, timer, packets[cpu], cpu);
                    made.add(event);
                    if (event.type == EventType.UDP_SENDMSG && random.nextInt(4) == 0) {
                        made.add(counters(layout, event, packets[cpu]));
                    }
                    if (random.nextInt(10) == 0) {
                        TraceFixture.write(writer, cpu, packets[cpu]);
                        packets[cpu].clear();
                    }
                }
                for (int cpu = 0; cpu < packets.length; cpu++) {
                    TraceFixture.write(writer, cpu, packets[cpu]);
                }
            }
        }
        return made;
    }

    private static Predicate<Made> everyThird() {
        Map<String, Integer> seen = new HashMap<>();
        return made -> seen.merge(made.type + " " + made.cpu, 1, Integer::sum) % 3 == 1;
    }

    private static Predicate<Made> everyMilli() {
        Map<EventType, Long> last = new HashMap<>();
        return made -> {
            Long before = last.get(made.type);
            boolean passes = before == null || made.timer - before >= TICKS_PER_MILLI;
            if (passes) {
                last.put(made.type, made.timer);
            }
            return passes;
        };
    }

    private static final Map<String, Supplier<Predicate<Made>>> RULES = Map.of(
            "log", () -> made -> true,
            "drop", () -> made -> false,
            "drop if cpu == 1", () -> made -> made.cpu != 1,
            "log if tgid in 103-105,107; drop",
                    () -> made -> (made.tgid >= 103 && made.tgid <= 105) || made.tgid == 107,
            "drop if id & 5", () -> made -> (made.id & 5) == 0,
            "drop if len < 500", () -> made -> made.type != EventType.UDP_SENDMSG || made.length >= 500,
            "sample 3", TraceCopyTest::everyThird,
            "every 1ms", TraceCopyTest::everyMilli);

    /** Whether the records are there that a loop over what was made keeps. */
    @ParameterizedTest
    @EnumSource(RecordLayout.class)
    void shouldKeepOfAnyTraceWhatRulesKeep(RecordLayout layout) throws IOException {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            source = folder.resolve("source" + round);
            List<Made> made = save(random, layout);
            for (String rules :
                    RULES.keySet().stream().sorted(Comparator.naturalOrder()).toList()) {
                target = folder.resolve("target " + round + " " + rules.hashCode());
                String what = "seed " + SEED + " round " + round + " " + layout + " " + rules;
                RuleFilter[] filter = new RuleFilter[1];
                copy((reader, copy) -> {
                    filter[0] = new RuleFilter(reader, reader.words(), rules, NamingEvent::isOne, copy);
                    return filter[0];
                });
                List<String> expected = new ArrayList<>();
                Predicate<Made> passes = RULES.get(rules).get();
                long passed = 0;
                long exempted = 0;
                long dropped = 0;
                boolean last = true;
                for (Made each : made) {
                    boolean kept = switch (each.type) {
                        case LOST -> true;
                        case COUNTERS -> last;
                        default -> {
                            boolean pass = passes.test(each);
                            last = pass || each.type == EventType.SCHED_PROCESS_FORK;
                            passed += pass ? 1 : 0;
                            exempted += !pass && last ? 1 : 0;
                            dropped += last ? 0 : 1;
                            yield last;
                        }
                    };
                    if (kept) {
                        expected.add(each.bytes);
                    }
                }
                assertThat(records(target)).as(what).isEqualTo(expected);
                assertThat(List.of(filter[0].passed(), filter[0].exempted(), filter[0].dropped()))
                        .as(what)
                        .isEqualTo(List.of(passed, exempted, dropped));
                assertThat(files(target)).as(what).isEqualTo(files(source));
                for (Path file : files(source)) {
                    if (!file.endsWith("metadata")) {
                        assertThat(headers(target.resolve(file)))
                                .as(what)
                                .extracting(Header::begin, Header::end, Header::discarded, Header::cpu)
                                .isEqualTo(headers(source.resolve(file)).stream()
                                        .map(each -> tuple(each.begin, each.end, each.discarded, each.cpu))
                                        .toList());
                    }
                }
            }
        }
    }

    @Test
    void shouldBeNoTraceBeforeItsEnd() throws IOException {
        try (TraceWriter writer = TraceFixture.writer(source, RecordLayout.WIDE)) {
            TraceFixture.write(writer, 0, TraceFixture.everything(RecordLayout.WIDE, 0, 1_000));
        }
        try (UnfinishedFolder out = new UnfinishedFolder(target);
                TraceReader reader = TraceReader.open(source);
                TraceCopy copy = new TraceCopy(reader, out, "")) {
            reader.read(copy);
            copy.end();
            assertThat(target.resolve("cpu0")).hasSameBinaryContentAs(source.resolve("cpu0"));
            assertThat(TraceReader.isIn(target)).isFalse();
        }
        assertThat(target).as("nobody finished it").doesNotExist();
    }
}
