// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.record.EventType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionTest {
    private static final long SECOND = FakeTap.TICKS_PER_SECOND;
    private static final int QUERY = 3;
    private static final int DESTROY = 4;
    private static final int START = 5;
    private static final int STOP = 6;
    private static final int RESET_FILTERS = 7;

    private long nanos;
    private final FakeTap tap = new FakeTap();
    private final LiveHandlers live = new LiveHandlers(tap::open, tap, () -> nanos);
    private Optional<MetricSnapshot> metrics = Optional.empty();
    private final Session session = session(StructLayout.I386, 2);

    private Session session(StructLayout layout, int cpus) {
        return new Session(new Session.Shared(live, tap, cpus, layout, () -> metrics), true);
    }

    /** A reply, behind its length. */
    private static ByteBuffer ask(Session of, byte[] request) {
        ByteBuffer reply = ByteBuffer.allocate(Session.REPLY_BYTES);
        of.answer(Frames.body(request), reply);
        reply.flip();
        assertThat(reply.getInt()).as("the length of what follows").isEqualTo(reply.remaining());
        return reply;
    }

    /** The data of a good reply. */
    private ByteBuffer good(byte[] request) {
        ByteBuffer reply = ask(session, request);
        byte error = reply.get();
        assertThat(error).as(() -> text(reply)).isZero();
        return reply;
    }

    private String refused(byte[] request) {
        ByteBuffer reply = ask(session, request);
        assertThat(reply.get()).isEqualTo((byte) 1);
        return text(reply);
    }

    private static String text(ByteBuffer data) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8).replace("\0", "");
    }

    private int create(byte[] request) {
        ByteBuffer data = good(request);
        assertThat(data.remaining()).isEqualTo(1);
        return data.get();
    }

    private ByteBuffer query(int handler) {
        return good(Frames.ofHandler(QUERY, handler)).slice();
    }

    @Test
    void shouldAnswerByteForByte() {
        HexFormat hex = HexFormat.of();
        ByteBuffer reply = ByteBuffer.allocate(Session.REPLY_BYTES);
        session.answer(Frames.body(Frames.createCount()), reply);
        assertThat(hex.formatHex(reply.array(), 0, reply.position())).isEqualTo("000000020001");

        byte[] filter = Frames.addProcessFilter(1, 1234, 258);
        assertThat(hex.formatHex(filter))
                .isEqualTo("00000022" + "08010e" + hex.formatHex("process_filter".getBytes(StandardCharsets.US_ASCII))
                        + "00" + "0000000c" + "a0102030" + "00000102" + "000004d2");
        good(filter);
        good(Frames.ofHandler(START, 1));
        for (int i = 0; i < 7; i++) {
            tap.switched(0, 1, 1234);
        }
        session.answer(Frames.body(Frames.ofHandler(QUERY, 1)), reply.clear());
        assertThat(hex.formatHex(reply.array(), 0, reply.position())).isEqualTo("000000050000000007");
    }

    @Test
    void shouldCountWhatIsNamedOfAProcess() {
        int count = create(Frames.createCount());
        good(Frames.addProcessFilter(count, 77));
        tap.switched(0, 77, 1);
        good(Frames.ofHandler(START, count));
        tap.log(EventType.INET_SENDMSG, 0, 77, 78, 5, 100, 2, 17)
                .log(EventType.INET_SENDMSG, 0, 76, 76, 5, 100, 2, 17)
                .log(EventType.SKB_CONSUME_UDP, 0, 77, 78, 5, 0, 30)
                .log(EventType.TCP_CONSUME, 0, 77, 78, 5, 40, 2, 6)
                .switched(0, 77, 1)
                .switched(1, 1, 77)
                .switched(1, 2, 3);
        assertThat(query(count).getInt()).isEqualTo(5);
        good(Frames.ofHandler(STOP, count));
        assertThat(tap.selected).isEmpty();
        assertThat(query(count).getInt()).isEqualTo(5);
        good(Frames.ofHandler(START, count));
        tap.switched(0, 77, 1);
        assertThat(query(count).getInt()).as("goes on").isEqualTo(6);
    }

    @Test
    void shouldTakeFiltersAsAlternatives() {
        int count = create(Frames.createCount());
        good(Frames.addProcessFilter(count, 77, 259));
        good(Frames.addProcessFilter(count, 78, 258));
        good(Frames.ofHandler(START, count));
        assertThat(tap.selected)
                .isEqualTo(Map.of(EventType.SCHED_SWITCH, "log if next_tgid == 78; log if tgid == 77; drop"));
        tap.switched(0, 77, 78).switched(0, 78, 77);
        assertThat(query(count).getInt()).isEqualTo(2);
        good(Frames.ofHandler(RESET_FILTERS, count));
        assertThat(tap.selected)
                .containsOnlyKeys(
                        EventType.INET_SENDMSG,
                        EventType.SKB_CONSUME_UDP,
                        EventType.TCP_CONSUME,
                        EventType.SCHED_SWITCH)
                .allSatisfy((type, rules) -> assertThat(rules).isEmpty());
        tap.switched(0, 5, 6);
        assertThat(query(count).getInt()).as("one leaves, one enters").isEqualTo(4);
    }

    /** What came before a filter was there is judged without it. */
    @Test
    void shouldChangeFiltersBetweenTwoEvents() {
        int count = create(Frames.createCount());
        good(Frames.addProcessFilter(count, 77, 259));
        good(Frames.ofHandler(START, count));
        tap.switched(0, 88, 1);
        good(Frames.addProcessFilter(count, 88, 259));
        tap.switched(0, 88, 1);
        assertThat(query(count).getInt()).isEqualTo(1);
    }

    @Test
    void shouldAddUpBytesOfAProcess() {
        int sum = create(Frames.createAccumulator());
        good(Frames.addSocketFilter(sum, 77, 3));
        good(Frames.ofHandler(START, sum));
        assertThat(tap.selected).isEqualTo(Map.of(EventType.INET_SENDMSG, "log if tgid == 77; drop"));
        tap.log(EventType.INET_SENDMSG, 0, 77, 78, 5, 0xffff_ffffL, 2, 17)
                .log(EventType.INET_SENDMSG, 1, 77, 78, 5, 1, 2, 17).log(
                EventType.INET_SENDMSG, 1, 79, 78, 5, 1, 2, 17);
        assertThat(query(sum).getLong()).isEqualTo(0x1_0000_0000L);
    }

    @Test
    void shouldAskForASocketInTheServiceOnly() {
        int sum = create(Frames.createAccumulator());
        good(Frames.addSocketFilter(sum, 0x2001));
        good(Frames.ofHandler(START, sum));
        assertThat(tap.selected)
                .isEqualTo(
                        Map.of(EventType.INET_SENDMSG, "", EventType.SKB_CONSUME_UDP, "", EventType.TCP_CONSUME, ""));
        tap.log(EventType.INET_SENDMSG, 0, 77, 78, 0x7_0000_2001L, 3, 2, 17)
                .log(EventType.TCP_CONSUME, 0, 77, 78, 0x2001, 4, 2, 6)
                .log(EventType.SKB_CONSUME_UDP, 0, 77, 78, 0x2001, 0, 5).log(
                EventType.INET_SENDMSG, 0, 77, 78, 0x2002, 100, 2, 17);
        assertThat(query(sum).getLong()).isEqualTo(12);
    }

    /** The CPUs' part begins at offset 20 for clients of i386, and their third CPU has no place of its own. */
    @ParameterizedTest
    @CsvSource({"I386, 20", "X86_64, 24"})
    void shouldTellTimesAndSwitchesOfTwoCpus(StructLayout layout, int offset) {
        Session of = session(layout, 3);
        assertThat(ask(of, Frames.createScheduling()).get(1 + Integer.BYTES)).isEqualTo((byte) 1);
        ask(of, Frames.addProcessFilter(1, 77, 258));
        ask(of, Frames.addProcessFilter(1, 77, 259));
        tap.now = 10 * SECOND;
        ask(of, Frames.ofHandler(START, 1));
        tap.now = 11 * SECOND;
        tap.switched(0, 77, 1).switched(1, 1, 77);
        tap.now = 13 * SECOND;
        tap.switched(1, 77, 2).switched(2, 3, 77);
        tap.now = 14 * SECOND;
        tap.switched(2, 77, 4).switched(2, 4, 5).switched(0, 1, 77);
        tap.now = 15 * SECOND;
        ByteBuffer data = ask(of, Frames.ofHandler(QUERY, 1));
        data.get();
        data = data.slice();
        assertThat(data.remaining()).isEqualTo(offset + 2 * 24);
        assertThat(data.getLong(0)).as("total_time").isEqualTo(5 * SECOND);
        assertThat(data.getLong(8)).as("cpu_speed").isEqualTo(SECOND);
        assertThat(data.getShort(16)).as("ncpu, as clients read it").isEqualTo((short) 2);
        assertThat(data.getDouble(offset)).as("switches of CPU 0").isEqualTo(1);
        assertThat(data.getLong(offset + 8))
                .as("busy since the start, and since it came again")
                .isEqualTo(2 * SECOND);
        assertThat(data.getLong(offset + 16)).isZero();
        assertThat(data.getDouble(offset + 24)).as("switches of CPUs 1 and 2").isEqualTo(2);
        assertThat(data.getLong(offset + 32)).isEqualTo(3 * SECOND);
    }

    @Test
    void shouldLookAtOneProcessOnlyWhenItsCreatorSaysSo() {
        int handler = create(Frames.createScheduling(77));
        good(Frames.ofHandler(START, handler));
        assertThat(tap.selected)
                .isEqualTo(Map.of(EventType.SCHED_SWITCH, "log if next_tgid == 77; log if tgid == 77; drop"));
        tap.switched(0, 5, 77);
        tap.now = SECOND;
        tap.switched(0, 77, 5);
        tap.now = 2 * SECOND;
        tap.switched(0, 5, 6);
        ByteBuffer data = query(handler);
        data.position(20);
        assertThat(data.getDouble()).isEqualTo(1);
        assertThat(data.getLong()).isEqualTo(SECOND);
    }

    @Test
    void shouldLeaveOutTheSliceThatALossIsIn() {
        int handler = create(Frames.createScheduling(77));
        good(Frames.ofHandler(START, handler));
        tap.switched(0, 5, 77);
        tap.now = SECOND;
        tap.log(EventType.LOST, 0, 0, 0, 0, 9);
        tap.now = 2 * SECOND;
        tap.switched(0, 77, 5);
        tap.now = 3 * SECOND;
        tap.switched(0, 5, 77);
        tap.now = 4 * SECOND;
        ByteBuffer data = query(handler);
        assertThat(data.getLong(20 + 8)).isEqualTo(SECOND);
        assertThat(text(good(Frames.get(4, 0)))).isEqualTo("1 process_scheduling started 0 filters 9 lost\n");
    }

    /** A machine that was up for a day wakes up, or its timer jumps by one. */
    @ParameterizedTest
    @CsvSource({"86400, 1", "100, 86500"})
    void shouldGoOnWithoutALossWhenTheTimerJumps(long from, long to) throws Exception {
        int scheduling = create(Frames.createScheduling(77));
        int bandwidth = create(Frames.createBandwidth("bandwidth", 2));
        long booted = from;
        tap.now = from * SECOND;
        good(Frames.ofHandler(START, scheduling));
        good(Frames.ofHandler(START, bandwidth));
        tap.now += SECOND;
        tap.switched(0, 5, 77).log(EventType.INET_SENDMSG, 0, 77, 78, 5, 1_000, 2, 17);
        tap.now += 2 * SECOND;
        tap.jump(to * SECOND);
        tap.now += SECOND;
        tap.switched(0, 77, 5)
                .switched(1, 77, 5)
                .switched(0, 5, 77)
                .log(EventType.INET_SENDMSG, 0, 77, 78, 5, 60, 2, 6);
        tap.now += SECOND;
        tap.switched(0, 77, 5);
        ByteBuffer data = query(scheduling);
        assertThat(data.getLong(0)).as("ticks since the start").isEqualTo(5 * SECOND);
        assertThat(data.getLong(20 + 8))
                .as("but for slices with the jump in them")
                .isEqualTo(SECOND);
        assertThat(data.getLong(20 + 24 + 8)).isZero();
        assertBandwidth(query(bandwidth), 5, 1_060, 0, 0, 0, 2, booted + 4);
        assertThat(text(good(Frames.get(4, 0))))
                .isEqualTo("1 process_scheduling started 0 filters 0 lost\n2 bandwidth started 0 filters 0 lost\n");
        good(Frames.ofHandler(STOP, bandwidth));
        tap.now += 100 * SECOND;
        good(Frames.ofHandler(START, bandwidth));
        tap.jump(0);
        good(Frames.ofHandler(STOP, bandwidth));
        tap.jump(50 * SECOND);
        assertBandwidth(query(bandwidth), 5, 1_060, 0, 0, 0, 2, booted + 104);
    }

    /** Records have jumped, and the clock goes on until the module has seen it. */
    @Test
    void shouldGoOnWhereTheTimerHasJumpedAndTheModuleHasNotSeenIt() throws Exception {
        int scheduling = create(Frames.createScheduling(77));
        int bandwidth = create(Frames.createBandwidth("bandwidth", 2));
        tap.now = 100 * SECOND;
        good(Frames.ofHandler(START, scheduling));
        good(Frames.ofHandler(START, bandwidth));
        tap.now += 3 * SECOND;
        tap.jumpUnseen(86_400 * SECOND);
        tap.switched(0, 5, 77).log(EventType.INET_SENDMSG, 0, 77, 78, 5, 1_000, 2, 17);
        assertThat(query(scheduling).getLong(0)).isEqualTo(3 * SECOND);
        assertBandwidth(query(bandwidth), 3, 1_000, 0, 0, 0, 1, 102);
        tap.jump(86_503 * SECOND);
        tap.now += SECOND;
        tap.switched(0, 77, 5);
        ByteBuffer data = query(scheduling);
        assertThat(data.getLong(0)).isEqualTo(4 * SECOND);
        assertThat(data.getLong(20 + 8))
                .as("the jump that it sees is in the slice")
                .isZero();
        assertBandwidth(query(bandwidth), 4, 1_000, 0, 1_000, 0, 2, 104);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bandwidth", "tcpbandwidth"})
    void shouldTellBandwidthsInAllAndOfTheLastBlock(String name) {
        boolean tcp = name.startsWith("tcp");
        int handler = create(Frames.createBandwidth(name, 2));
        tap.now = 100 * SECOND;
        good(Frames.ofHandler(START, handler));
        tap.log(EventType.INET_SENDMSG, 0, 77, 78, 5, 1_000, 2, 17).log(
                EventType.INET_SENDMSG, 0, 77, 78, 5, 600, 2, 6);
        tap.now = 103 * SECOND;
        tap.log(EventType.TCP_CONSUME, 0, 77, 78, 5, 80, 2, 6).log(EventType.SKB_CONSUME_UDP, 0, 77, 78, 5, 0, 40);
        assertBandwidth(query(handler), 3, tcp ? 600 : 1_600, tcp ? 80 : 120, tcp ? 600 : 1_600, 0, 1, 102);
        tap.now = 104 * SECOND;
        assertBandwidth(query(handler), 4, tcp ? 600 : 1_600, tcp ? 80 : 120, 0, tcp ? 80 : 120, 2, 104);
        tap.now = 108 * SECOND;
        tap.log(EventType.LOST, 0, 0, 0, 0, 9);
        ByteBuffer later = query(handler);
        assertBandwidth(later.duplicate(), 8, tcp ? 600 : 1_600, tcp ? 80 : 120, 0, 0, 4, 108);
        assertThat(later.getInt(later.limit() - Integer.BYTES))
                .as("lost_events")
                .isEqualTo(9);
    }

    private static void assertBandwidth(
            ByteBuffer data,
            double seconds,
            double sent,
            double received,
            double sentInBlock,
            double receivedInBlock,
            int block,
            long blockBegan) {
        assertThat(data.remaining()).isEqualTo(48);
        assertThat(data.getDouble()).isEqualTo(sent / seconds);
        assertThat(data.getDouble()).isEqualTo(received / seconds);
        assertThat(data.getDouble()).isEqualTo(sentInBlock / 2);
        assertThat(data.getDouble()).isEqualTo(receivedInBlock / 2);
        assertThat(data.getDouble()).isEqualTo((double) FakeTap.BOOTED_SECONDS + blockBegan);
        assertThat(data.getInt()).isEqualTo(block);
    }

    @Test
    void shouldHookNothingUntilSomethingIsStarted() {
        int one = create(Frames.createCount());
        int other = create(Frames.createAccumulator());
        assertThat(tap.opened).isZero();
        good(Frames.addProcessFilter(one, 5));
        good(Frames.ofHandler(START, one));
        good(Frames.addSocketFilter(other, 6, 3));
        good(Frames.ofHandler(START, other));
        good(Frames.ofHandler(START, other));
        assertThat(tap.opened).isEqualTo(1);
        assertThat(tap.selected)
                .containsEntry(EventType.INET_SENDMSG, "log if tgid == 5,6; drop")
                .containsEntry(EventType.TCP_CONSUME, "log if tgid == 5; drop");
        good(Frames.ofHandler(DESTROY, one));
        assertThat(tap.selected).isEqualTo(Map.of(EventType.INET_SENDMSG, "log if tgid == 6; drop"));
        session.close();
        assertThat(tap.selected).isEmpty();
        live.read();
        assertThat(tap.open).as("somebody may start another").isTrue();
        nanos = 2 * SECOND + 1;
        live.read();
        assertThat(tap.open).isFalse();
    }

    @Test
    void shouldAskForAllProcessesWhenTheyAreTooManyForRules() {
        int one = create(Frames.createCount());
        for (int process = 1; process <= Session.FILTERS_MAX; process++) {
            good(Frames.addProcessFilter(one, process, 3));
        }
        assertThat(refused(Frames.addProcessFilter(one, 100, 3))).contains("at most 16 filters");
        List<Integer> characters = new ArrayList<>();
        for (int i = 1; i <= 3 * Session.HANDLERS_MAX; i++) {
            Session client = session(StructLayout.I386, 2);
            ask(client, Frames.createCount());
            for (int filter = 1; filter <= Session.FILTERS_MAX; filter++) {
                ask(client, Frames.addProcessFilter(1, 2_000_000_000 + 100 * i + filter, 3));
            }
            ask(client, Frames.ofHandler(START, 1));
            characters.add(
                    String.valueOf(tap.selected.get(EventType.INET_SENDMSG)).length());
        }
        assertThat(characters).allMatch(length -> length < 4_096).contains(0).anyMatch(length -> length > 3_500);
    }

    @Test
    void shouldRefuseWhatCannotBeDone() {
        assertThat(refused(Frames.frame(8, "01 01", "x", "00 00000000")))
                .as("data[0] is the number 0")
                .startsWith("there is no handler of that name");
        assertThat(ask(session, Frames.frame(8, "01 01", "x", "00 00000000")).get(5))
                .isZero();
        assertThat(refused(Frames.ofHandler(START, 1))).isEqualTo("there is no handler 1 of this connection");
        int handler = create(Frames.createCount());
        assertThat(refused(Frames.addProcessFilter(handler, 1, 1022)))
                .isEqualTo("there is no event 1022; GET 3 lists events");
        assertThat(refused(Frames.frame(12, "08 01 04", "none", "00 00000000"))).contains("no filter of that name");
        assertThat(refused(Frames.frame(40, "01 09", "TAU_count", "00 00000010 00000000 00000004 2f746d70")))
                .contains("writes no trace files");
        assertThat(refused(Frames.createBandwidth("bandwidth", Double.NaN))).startsWith("a block is 0.001 to");
        assertThat(refused(Frames.frame(1, "0b", "", ""))).isEqualTo("there is no command 11, 0 to 10 there are");
        assertThat(refused(Frames.frame(0, "", "", ""))).isEqualTo("the request ends too early");
        assertThat(refused(Frames.frame(6, "03 01 00000009", "", ""))).contains("options of 9 bytes are announced");
        tap.refused = EventType.INET_SENDMSG;
        assertThat(refused(Frames.ofHandler(START, handler)))
                .isEqualTo("it cannot be started: inet_sendmsg: this kernel does not have it");
        assertThat(tap.open).isFalse();
        tap.refused = null;
        tap.gone = true;
        assertThat(refused(Frames.ofHandler(START, handler))).isEqualTo("it cannot be started: no module");
    }

    @Test
    void shouldEndHandlersWhenTheirEventsEnd() {
        int handler = create(Frames.createCount());
        good(Frames.ofHandler(START, handler));
        tap.switched(0, 1, 2);
        assertThat(query(handler).getInt()).isEqualTo(2);
        tap.gone = true;
        assertThat(refused(Frames.ofHandler(QUERY, handler)))
                .isEqualTo("its events have ended: the buffer was removed; START lets it go on");
        assertThat(tap.open).isFalse();
        assertThat(text(good(Frames.get(4, 0)))).contains("TAU_count stopped");
        good(Frames.addProcessFilter(handler, 1));
        tap.gone = false;
        good(Frames.ofHandler(START, handler));
        tap.switched(0, 1, 2);
        assertThat(query(handler).getInt()).as("with what it had").isEqualTo(3);
    }

    /** Of both processes only what they had while they were asked for. */
    @Test
    void shouldBeginSlicesAnewWhenFiltersChange() {
        int handler = create(Frames.createScheduling());
        good(Frames.addProcessFilter(handler, 77, 259));
        good(Frames.addProcessFilter(handler, 77, 258));
        good(Frames.ofHandler(START, handler));
        tap.switched(0, 5, 77);
        tap.now = 10 * SECOND;
        good(Frames.addProcessFilter(handler, 88, 259));
        tap.now = 11 * SECOND;
        tap.switched(0, 77, 5).switched(1, 88, 5);
        assertThat(query(handler).getLong(20 + 8)).isEqualTo(11 * SECOND);
        assertThat(query(handler).getLong(20 + 24 + 8)).isEqualTo(SECOND);
    }

    @Test
    void shouldGiveMusesFourEventsOnlyToWhoComesByTheNetwork() {
        Session other = new Session(new Session.Shared(live, tap, 2, StructLayout.I386, () -> metrics), false);
        ask(other, Frames.createCount());
        assertThat(ask(other, Frames.addProcessFilter(1, 5, 258)).get()).isZero();
        ByteBuffer reply = ask(other, Frames.addProcessFilter(1, 5, 704));
        assertThat(reply.get()).isEqualTo((byte) 1);
        assertThat(text(reply))
                .isEqualTo("only 3, 4, 258 and 259 are for clients that come by the network; use the socket");
    }

    @Test
    void shouldLimitWhatAClientHas() {
        for (int i = 1; i <= Session.HANDLERS_MAX; i++) {
            assertThat(create(Frames.createCount())).isEqualTo(i);
        }
        assertThat(refused(Frames.createCount())).contains("at most 16 handlers");
        good(Frames.ofHandler(DESTROY, 3));
        assertThat(create(Frames.createAccumulator()))
                .as("the number that is free")
                .isEqualTo(3);
    }

    @Test
    void shouldTellMetricsThatArePublished() {
        List<Metric> all = Metrics.DEFAULT;
        MetricSnapshot.Builder builder = MetricSnapshot.of(Instant.EPOCH, 25, all);
        all.forEach(metric -> builder.put(metric, 2.5));
        metrics = Optional.of(builder.build());
        Metric first = all.get(0);
        assertThat(good(Frames.named(2, first.name())).getDouble()).isEqualTo(2.5);
        assertThat(refused(Frames.named(2, "magnet_none"))).contains("no metric of that name");
        assertThat(text(good(Frames.named(0, first.name())))).contains(first.unit(), first.description());
        StringBuilder list = new StringBuilder();
        int lines = 0;
        for (String page = text(good(Frames.get(2, 0))); !page.isEmpty(); page = text(good(Frames.get(2, lines)))) {
            list.append(page);
            lines += (int) page.lines().count();
        }
        assertThat(list.toString().lines())
                .isEqualTo(all.stream()
                        .map(metric -> metric.name() + " " + metric.unit())
                        .toList());
        metrics = Optional.empty();
        assertThat(refused(Frames.named(2, first.name()))).contains("no metric of that name");
    }

    @Test
    void shouldHelp() {
        assertThat(text(good(Frames.named(0, ""))))
                .contains("TAU_count", "process_scheduling", "bandwidth", "tcpbandwidth", "accumulator")
                .contains("process_filter", "socket_filter");
        assertThat(text(good(Frames.named(0, "bandwidth")))).startsWith("bandwidth [SECONDS]");
        assertThat(text(good(Frames.get(0, 0)))).contains("accumulator\n");
        assertThat(text(good(Frames.get(1, 0)))).isEqualTo("process_filter\nsocket_filter\n");
        assertThat(text(good(Frames.get(3, 0)))).contains("258 a thread gets a CPU\n", "\n272 sched_switch\n");
        assertThat(refused(Frames.get(9, 0))).startsWith("GET lists 0 handlers");
        assertThat(session.isOver()).isFalse();
        good(Frames.quit());
        assertThat(session.isOver()).isTrue();
    }
}
