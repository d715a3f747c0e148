// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import magnet.config.HandlerChoice;
import magnet.metric.HandlerMetrics;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.RecordCursor;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.trace.RuleWords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What declared handlers make of known records, whose timers count nanoseconds. */
class DeclaredHandlersTest {
    private static final int SLOTS = 3;
    private static final int DYNAMIC = 0x400;
    private static final long SECOND = 1_000_000_000;

    private final HandlerTable table = new HandlerTable(SLOTS, 0);
    private long now;

    @Test
    void shouldCountEventsOfTheWindowExactly() throws Exception {
        begin("kind = count\npoint = udp_sendmsg");
        hand(sends(7, 100));
        assertThat(close("magnet_x_events_count")).isEqualTo(7);
        hand(sends(4, 100));
        assertThat(close("magnet_x_events_count")).isEqualTo(11);
        close("magnet_x_events_count");
        assertThat(close("magnet_x_events_count"))
                .as("what has left the window")
                .isEqualTo(4);
        assertThat(close("magnet_x_events_count")).isZero();
        assertThat(table.handlers().get("x").totals()).isEqualTo(Map.of("magnet_x_events_count", Map.of("sum", 11L)));
    }

    @Test
    void shouldAddUpAFieldPerSecond() throws Exception {
        begin("kind = rate\npoint = udp_sendmsg\nfield = len\nmetric = bytes");
        hand(sends(7, 100));
        assertThat(close("magnet_x_bytes_rate")).isEqualTo(700.0 / 5);
        hand(sends(3, 50));
        assertThat(close("magnet_x_bytes_rate")).isEqualTo(850.0 / 10);
    }

    @Test
    void shouldDistributeAFieldWithItsExactMaximum() throws Exception {
        begin("kind = distribution\npoint = udp_sendmsg\nfield = len");
        RecordWriter records = new RecordWriter();
        for (int len = 1; len <= 1_000; len++) {
            records.record(EventType.UDP_SENDMSG, 0, 1, 1, 0, len, len * 13L);
        }
        hand(records);
        MetricSnapshot snapshot = close();
        assertThat(value(snapshot, "magnet_x_len_p50")).isCloseTo(6_500, offset(65.0));
        assertThat(value(snapshot, "magnet_x_len_p95")).isCloseTo(12_350, offset(124.0));
        assertThat(value(snapshot, "magnet_x_len_p99")).isCloseTo(12_870, offset(129.0));
        assertThat(value(snapshot, "magnet_x_len_max")).isEqualTo(13_000);
    }

    @Test
    void shouldLeaveOutNegativeNumbersAndCountThem() throws Exception {
        begin("kind = distribution\npoint = r:vfs_read ret=$retval:s64\nfield = ret");
        hand(new RecordWriter().unknown(DYNAMIC, 0, 1, 5_000, -5).unknown(DYNAMIC, 0, 2, 5_000, 4_096));
        MetricSnapshot snapshot = close();
        assertThat(value(snapshot, "magnet_x_ret_p50")).isEqualTo(4_096);
        assertThat(value(snapshot, "magnet_x_ret_max")).isEqualTo(4_096);
        assertThat(table.handlers().get("x").totals())
                .isEqualTo(Map.of("magnet_x_ret_p50", Map.of("count", 1L, "left_out", 1L, "max", 4_096.0)));
    }

    @Test
    void shouldPublishLatenciesOfFunctionsInMicroseconds() throws Exception {
        begin("kind = distribution\npoint = r:vfs_read\nfield = latency");
        hand(new RecordWriter().unknown(DYNAMIC, 0, 1, 5_500));
        assertThat(close("magnet_x_latency_max")).isEqualTo(5.5);
    }

    @Test
    void shouldMeasureFromOneEventToTheNextOfTheSameId() throws Exception {
        begin("kind = interval\npoint = marker");
        hand(new RecordWriter()
                .record(EventType.MARKER, 0, 1, 1, 7, 1_000)
                .record(EventType.MARKER, 1, 1, 1, 8, 2_000)
                .record(EventType.MARKER, 0, 1, 1, 7, 31_000)
                .record(EventType.MARKER, 0, 1, 1, 8, 5_000)
                .record(EventType.MARKER, 0, 1, 1, 7, 40_000));
        MetricSnapshot snapshot = close();
        assertThat(value(snapshot, "magnet_x_interval_max")).isEqualTo(30);
        assertThat(totals().get("count")).isEqualTo(3L);
    }

    /** The kernel measured them: one that jumped made the first of them a day long, one that began anew made it negative. */
    @ParameterizedTest
    @ValueSource(longs = {86_400_000_000_000L, -86_400_000_000_000L})
    void shouldLeaveOutALatencyWithAJumpOfTheTimerInIt(long jump) throws Exception {
        begin("kind = distribution\npoint = r:vfs_read\nfield = latency");
        hand(new RecordWriter().unknown(DYNAMIC, 0, 1_000, 7_000));
        table.onNewEpoch(2);
        long timer = 90_000_000_000_000L;
        hand(new RecordWriter().unknown(DYNAMIC, 0, timer, jump).unknown(DYNAMIC, 0, timer + 9_000, 5_500));
        assertThat(close("magnet_x_latency_max")).isEqualTo(7);
        assertThat(totals().get("count")).isEqualTo(2L);
        assertThat(totals().get("left_out")).isEqualTo(1L);
    }

    /** The timer of what follows has nothing to do with that of what was before. */
    @Test
    void shouldMeasureNothingAcrossAJumpOfTheTimer() throws Exception {
        begin("kind = interval\npoint = marker");
        hand(new RecordWriter().record(EventType.MARKER, 0, 1, 1, 7, 1_000));
        table.onNewEpoch(2);
        hand(new RecordWriter()
                .record(EventType.MARKER, 0, 1, 1, 7, 86_400_000_000_000L)
                .record(EventType.MARKER, 0, 1, 1, 7, 86_400_000_030_000L));
        MetricSnapshot snapshot = close();
        assertThat(value(snapshot, "magnet_x_interval_max")).isEqualTo(30);
        assertThat(value(snapshot, "magnet_x_discarded_count")).isEqualTo(1);
        assertThat(value(snapshot, "magnet_handlers_lost_rate")).isZero();
        assertThat(table.lostByCpu()).isEmpty();
    }

    @Test
    void shouldMeasureFromOnePointToAnotherByAnyField() throws Exception {
        begin("kind = interval\npoint = udp_sendmsg\nuntil = ip_send_skb\nby = tid");
        hand(new RecordWriter()
                .record(EventType.IP_SEND_SKB, 0, 1, 5, 0, 500)
                .record(EventType.UDP_SENDMSG, 0, 1, 5, 0, 1_000)
                .record(EventType.UDP_SENDMSG, 1, 1, 6, 0, 2_000)
                .record(EventType.UDP_SENDMSG, 0, 1, 5, 0, 3_000)
                .record(EventType.IP_SEND_SKB, 0, 1, 5, 0, 10_000)
                .record(EventType.IP_SEND_SKB, 0, 1, 5, 0, 99_000)
                .record(EventType.IP_SEND_SKB, 1, 1, 6, 0, 4_000));
        assertThat(close("magnet_x_interval_max")).as("the latest begin counts").isEqualTo(7);
        assertThat(totals().get("count")).isEqualTo(2L);
    }

    /** An event that is both ends what is open before it begins the next one. */
    @Test
    void shouldEndBeforeItBeginsWhenBothEndsAreTheSamePoint() throws Exception {
        begin("kind = interval\npoint = marker\nuntil = marker\nby = tgid");
        hand(new RecordWriter()
                .record(EventType.MARKER, 0, 9, 1, 1, 1_000)
                .record(EventType.MARKER, 0, 9, 1, 2, 6_000)
                .record(EventType.MARKER, 0, 9, 1, 3, 8_000));
        assertThat(close("magnet_x_interval_max")).isEqualTo(5);
        assertThat(totals().get("count")).isEqualTo(2L);
    }

    @Test
    void shouldNotMeasureWhatMaySpanALoss() throws Exception {
        begin("kind = interval\npoint = marker");
        hand(new RecordWriter()
                .record(EventType.MARKER, 0, 1, 1, 7, 1_000)
                .record(EventType.LOST, 1, 0, 0, 0, 2_000, 3)
                .record(EventType.MARKER, 0, 1, 1, 7, 31_000));
        MetricSnapshot snapshot = close();
        assertThat(value(snapshot, "magnet_x_interval_max")).isZero();
        assertThat(value(snapshot, "magnet_x_discarded_count")).isEqualTo(1);
        assertThat(value(snapshot, "magnet_handlers_lost_rate")).isEqualTo(3.0 / 5);
        assertThat(value(snapshot, "magnet_handlers_events_rate")).isEqualTo(2.0 / 5);
        assertThat(table.lostByCpu()).isEqualTo(Map.of(1, 3L));
    }

    @Test
    void shouldCountWhatItHasNoRoomFor() throws Exception {
        begin("kind = interval\npoint = marker");
        int ids = 20_000;
        for (int id = 0; id < ids; id++) {
            hand(new RecordWriter().record(EventType.MARKER, 0, 1, 1, id, id));
        }
        double discarded = close("magnet_x_discarded_count");
        int measured = 0;
        for (int id = 0; id < ids; id++) {
            hand(new RecordWriter().record(EventType.MARKER, 0, 1, 1, id, ids + id));
            measured = ((Number) totals().get("count")).intValue();
        }
        assertThat(discarded).isGreaterThanOrEqualTo(ids - 4_096);
        assertThat(measured).isLessThanOrEqualTo(ids - (int) discarded);
    }

    @Test
    void shouldAskRulesHereWhenTheKernelDoesNot() throws Exception {
        OwnHandler handler =
                begin("kind = count\npoint = udp_sendmsg\nwhere = drop if len < 100; log if tgid == 1; drop");
        hand(new RecordWriter()
                .record(EventType.UDP_SENDMSG, 0, 1, 1, 0, 1, 99)
                .record(EventType.UDP_SENDMSG, 0, 1, 1, 0, 2, 100)
                .record(EventType.UDP_SENDMSG, 0, 2, 2, 0, 3, 200));
        assertThat(close("magnet_x_events_count"))
                .as("rules were the kernel's business")
                .isEqualTo(3);
        handler.filterHere(0, 1_000_000, RuleWords.ofAnyKernel());
        assertThat(handler.isFilteredHere(0)).isTrue();
        hand(new RecordWriter()
                .record(EventType.UDP_SENDMSG, 0, 1, 1, 0, 1, 99)
                .record(EventType.UDP_SENDMSG, 0, 1, 1, 0, 2, 100)
                .record(EventType.UDP_SENDMSG, 0, 2, 2, 0, 3, 200));
        assertThat(close("magnet_x_events_count")).isEqualTo(4);
        assertThat(handler.got(0)).isEqualTo(6);
        assertThat(handler.filtered(0)).isEqualTo(2);
        assertThat(handler.handled()).isEqualTo(4);
    }

    @Test
    void shouldShowMetricsWhereTheyAreWanted() throws Exception {
        OwnHandler handler = begin("kind = rate\npoint = marker\ngroup = mine\ntitle = Mine\nunit = m/s\nmetric = own");
        assertThat(handler.metrics()).singleElement().satisfies(metric -> {
            assertThat(metric.name()).isEqualTo("magnet_x_own_rate");
            assertThat(metric.shownIn()).isEqualTo("mine");
            assertThat(metric.title()).isEqualTo("Mine rate");
            assertThat(metric.unit()).isEqualTo("m/s");
        });
        assertThat(HandlerMetrics.all()).extracting(Metric::shownIn).containsOnly(HandlerMetrics.GROUP);
    }

    private OwnHandler begin(String keys) throws Exception {
        HandlerChoice choice = new HandlerChoice(Optional.empty(), Sections.of("[handler x]\n" + keys + "\n"));
        try (HandlerCatalog catalog = new HandlerCatalog()) {
            HandlerCandidate candidate = catalog.look(choice).candidates().get(0);
            OwnHandler handler = OwnHandler.begin(
                    candidate,
                    (index, point) -> PointFormats.of(point, DYNAMIC + index, "dynamic"),
                    new OwnHandler.Scale(1, SLOTS, true));
            handler.beginWindow(now);
            table.add(handler);
            return handler;
        }
    }

    private Map<?, ?> totals() {
        return (Map<?, ?>)
                table.handlers().get("x").totals().values().iterator().next();
    }

    private static RecordWriter sends(int count, int bytes) {
        RecordWriter records = new RecordWriter();
        for (int i = 0; i < count; i++) {
            records.record(EventType.UDP_SENDMSG, 0, 1, 1, 0, i, bytes);
        }
        return records;
    }

    private void hand(RecordWriter records) {
        new RecordCursor(RecordLayout.WIDE)
                .wrap(records.buffer(), 0, records.size())
                .forEach(table);
    }

    private MetricSnapshot close() {
        now += 5 * SECOND;
        return table.endWindow(now, Instant.EPOCH, 0).build();
    }

    private double close(String metric) {
        return value(close(), metric);
    }

    private static double value(MetricSnapshot snapshot, String metric) {
        for (int i = 0; i < snapshot.size(); i++) {
            if (snapshot.metric(i).name().equals(metric)) {
                return snapshot.value(i);
            }
        }
        throw new AssertionError("no " + metric);
    }
}
