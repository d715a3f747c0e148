// SPDX-License-Identifier: Apache-2.0
package magnet.handler.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import magnet.config.ConfigReader;
import magnet.config.HandlerChoice;
import magnet.config.MagnetConfig;
import magnet.handler.ProviderSources;
import magnet.handler.Sections;
import magnet.json.Json;
import magnet.magnetfs.CollectorCounter;
import magnet.magnetfs.CollectorSettings;
import magnet.metric.HandlerMetrics;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.os.MonotonicClock;
import magnet.publish.LogLines;
import magnet.record.EventType;
import magnet.record.RecordWriter;
import magnet.spi.Handler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class OwnHandlersTest {
    private static final String SMALL =
            "[handler small]\nkind = count\npoint = udp_sendmsg\nwhere = drop if len > 100\n";
    private static final String ALL = "[handler all]\nkind = count\npoint = udp_sendmsg\n";

    @TempDir
    private Path folder;

    private final FakeHandlerKernel kernel = new FakeHandlerKernel();
    private OwnHandlers own;

    @BeforeEach
    void setUp() throws Exception {
        Path conf = folder.resolve("magnet.conf");
        Files.writeString(conf, "[publish]\ninterval = 1s\nwindow = 60s\n");
        MagnetConfig config = ConfigReader.read(conf, List.of(), ConfigReader.Extensions.NONE);
        own = new OwnHandlers(
                () -> {
                    kernel.connections.incrementAndGet();
                    return kernel;
                },
                config,
                CollectorSettings.batched(),
                MonotonicClock.SYSTEM,
                InstantSource.system(),
                System.nanoTime());
    }

    @AfterEach
    void tearDown() {
        own.close();
    }

    @Test
    void shouldCostNothingWhenThereAreNone() {
        own.use(HandlerChoice.NONE, Level.FULL);
        assertThat(kernel.connections).hasValue(0);
        assertThat(values()).isEmpty();
        assertThat(own.values(System.nanoTime()).status()).isEmpty();
        own.end();
        assertThat(own.report()).isEmpty();
    }

    @Test
    void shouldHaveNeitherConnectionNorBufferWhenTheFolderIsEmpty() throws Exception {
        own.use(choice("", true), Level.FULL);
        own.end();
        assertThat(kernel.connections).hasValue(0);
    }

    /** A jar's class may be missing while a package is replaced. */
    @Test
    void shouldTellThatAllAreOffWhenAnErrorEndsThem() throws Exception {
        kernel.failure = new NoClassDefFoundError("magnet/Removed");
        try (LogLines log = new LogLines(HandlerRun.class)) {
            own.use(choice(SMALL), Level.SUMMARY);
            await().until(() -> values().equals(Map.of(HandlerMetrics.OFF.name(), 1.0)));
            own.end();
            assertThat(Json.of(own.report())).contains("\"handlers_broken\": 1");
            assertThat(log.lines())
                    .containsExactly("ERROR own handlers do not run: java.lang.NoClassDefFoundError: magnet/Removed");
        }
    }

    @Test
    void shouldGiveRulesToTheKernelWhenOneHandlerHasThePoint() throws Exception {
        own.use(choice(SMALL), Level.SUMMARY);
        awaitMetric("magnet_small_events_count");
        assertThat(kernel.log).containsExactly("buffer", "+udp_sendmsg 'drop if len > 100' 0");
        kernel.log(sends(5, 100));
        awaitValue("magnet_small_events_count", 5);
        own.end();
        assertThat(kernel.log).endsWith("-udp_sendmsg");
        assertThat(kernel.closed).isTrue();
        assertThat(Json.of(own.report()))
                .contains("\"handler_events\": 5, \"handler_events_lost\": 0")
                .contains("\"name\": \"small\"")
                .contains("\"where\": \"drop if len > 100\", \"rules_in\": \"kernel\", \"events\": 5, \"filtered\": 0")
                .contains("\"handled\": 5, \"totals\": {\"magnet_small_events_count\": {\"sum\": 5}}")
                .contains("\"handlers_failed\": {}")
                .contains(
                        "{\"point\": \"udp_sendmsg\", \"event\": 16, \"hits\": 7, \"committed\": 5, \"delivered\": 5, "
                                + "\"filtered\": 2, \"sampled_out\": 0, \"dropped\": 0, \"missed\": 0}");
    }

    @Test
    void shouldAskRulesHereWhenOthersShareThePoint() throws Exception {
        own.use(choice(SMALL + ALL), Level.SUMMARY);
        awaitMetric("magnet_all_events_count");
        assertThat(kernel.log).containsExactly("buffer", "+udp_sendmsg 'drop if len > 100' 0", "loosen udp_sendmsg 0");
        kernel.log(sends(5, 100));
        kernel.log(sends(3, 101));
        awaitValue("magnet_all_events_count", 8);
        awaitValue("magnet_small_events_count", 5);
        own.end();
        assertThat(Json.of(own.report()))
                .contains("\"rules_in\": \"service\", \"events\": 8, \"filtered\": 3")
                .contains("\"rules_in\": \"\", \"events\": 8, \"filtered\": 0");
    }

    @Test
    void shouldShareOneSubscriptionAndItsRulesWhenTheyAreTheSame() throws Exception {
        own.use(choice(SMALL + """
                        [handler bytes]
                        kind = rate
                        point = udp_sendmsg
                        field = len
                        where = drop if len > 100
                        """), Level.SUMMARY);
        awaitMetric("magnet_bytes_len_rate");
        assertThat(kernel.log).containsExactly("buffer", "+udp_sendmsg 'drop if len > 100' 0");
    }

    @Test
    void shouldWantBytesOfThePacketWhenRulesAskForItsHeadersHere() throws Exception {
        own.use(choice("""
                        [handler dns]
                        kind = count
                        point = udp_rcv
                        where = drop if dport != 53
                        [handler any]
                        kind = count
                        point = udp_rcv
                        """), Level.SUMMARY);
        awaitMetric("magnet_any_events_count");
        assertThat(kernel.log).containsExactly("buffer", "+udp_rcv 'drop if dport != 53' 0", "loosen udp_rcv 128");
    }

    @Test
    void shouldAskRulesHereWhenTheKernelRefusesThem() throws Exception {
        kernel.refused.put("drop if len > 100", "not today");
        own.use(choice(SMALL), Level.SUMMARY);
        awaitMetric("magnet_small_events_count");
        assertThat(kernel.log).containsExactly("buffer", "+udp_sendmsg '' 0");
        kernel.log(sends(5, 100));
        kernel.log(sends(3, 101));
        awaitValue("magnet_small_events_count", 5);
    }

    @Test
    void shouldInsertDynamicPointsAndRemoveThem() throws Exception {
        own.use(choice("""
                        [handler reads]
                        kind = distribution
                        point = f:vfs_read n=$arg3:u64
                        field = n
                        where = drop if n < 10
                        """), Level.SUMMARY);
        awaitMetric("magnet_reads_n_max");
        assertThat(kernel.log)
                .containsExactly("buffer", "insert magnetd_reads_0", "+magnetd_reads_0 'drop if n < 10' 0");
        kernel.log(new RecordWriter().unknown(0x400, 0, 1, 17).unknown(0x400, 1, 2, 4_711));
        awaitValue("magnet_reads_n_max", 4_711);
        own.use(choice(ALL), Level.SUMMARY);
        awaitMetric("magnet_all_events_count");
        assertThat(kernel.log).contains("-magnetd_reads_0", "remove magnetd_reads_0");
        assertThat(values()).doesNotContainKey("magnet_reads_n_max");
    }

    @Test
    void shouldGoOnWithoutAHandlerWhosePointTheKernelRefuses() throws Exception {
        kernel.refused.put("f:nonesuch", "no such symbol");
        own.use(choice(ALL + "[handler none]\nkind = count\npoint = f:nonesuch\n"), Level.SUMMARY);
        awaitMetric("magnet_all_events_count");
        assertThat(values()).containsEntry("magnet_handlers_off_count", 1.0);
        assertThat(own.values(System.nanoTime()).status()).isEqualTo("; own handlers: 1 metric, 1 off");
        own.end();
        assertThat(Json.of(own.report()))
                .contains("\"handlers_failed\": {\"none\": \"")
                .contains(":4: handler none: point 'f:nonesuch': no such symbol\"}");
    }

    @Test
    void shouldKeepWhatStaysWithoutAGapWhenOthersComeAndGo() throws Exception {
        own.use(choice(SMALL), Level.SUMMARY);
        awaitMetric("magnet_small_events_count");
        kernel.log(sends(5, 1));
        awaitValue("magnet_small_events_count", 5);
        own.use(choice("\n\n" + SMALL + "[handler marks]\nkind = count\npoint = marker\n"), Level.SUMMARY);
        awaitMetric("magnet_marks_events_count");
        kernel.log(sends(2, 1));
        awaitValue("magnet_small_events_count", 7);
        own.use(choice(SMALL), Level.SUMMARY);
        await().until(() -> kernel.log.contains("-marker"));
        kernel.log(sends(2, 1));
        awaitValue("magnet_small_events_count", 9);
        assertThat(kernel.log)
                .containsExactly("buffer", "+udp_sendmsg 'drop if len > 100' 0", "+marker '' 0", "-marker");
    }

    @Test
    void shouldEndItsThreadWhenThereAreNoneAnyMoreAndBeginAnew() throws Exception {
        own.use(choice(SMALL), Level.SUMMARY);
        awaitMetric("magnet_small_events_count");
        own.use(HandlerChoice.NONE, Level.SUMMARY);
        await().until(() -> kernel.closed);
        await().until(() -> values().isEmpty());
        own.use(choice(ALL), Level.SUMMARY);
        awaitMetric("magnet_all_events_count");
        assertThat(kernel.connections).hasValue(2);
        own.end();
        assertThat(Json.of(own.report())).contains("\"name\": \"small\"").contains("\"name\": \"all\"");
    }

    @Test
    void shouldRunOnlyWhatTheLevelHas() throws Exception {
        own.use(
                choice(ALL + "level = full\n[handler beat]\nkind = count\npoint = marker\nlevel = heartbeat\n"),
                Level.SUMMARY);
        awaitMetric("magnet_beat_events_count");
        assertThat(kernel.log).containsExactly("buffer", "+marker '' 0");
        own.use(Level.FULL);
        awaitMetric("magnet_all_events_count");
        own.use(Level.HEARTBEAT);
        await().until(() -> kernel.log.contains("-udp_sendmsg"));
    }

    @Test
    void shouldSwitchOffAHandlerThatThrowsAndGoOnWithTheOthers() throws Exception {
        new ProviderSources()
                .handler("Breaks", "breaks", "marker", "if (event.id() == 3) throw new AssertionError(\"three\");")
                .handler("Works", "works", "marker", "")
                .service(Handler.class, "acme.Breaks\nacme.Works\n")
                .jar(folder.resolve("own.jar"));
        own.use(choice("", true), Level.SUMMARY);
        awaitMetric("magnet_breaks_seen_count");
        RecordWriter records = new RecordWriter();
        for (int id = 1; id <= 5; id++) {
            records.record(EventType.MARKER, 0, 1, 1, id, id);
        }
        kernel.log(records);
        awaitValue("magnet_works_seen_count", 5);
        awaitValue("magnet_handlers_off_count", 1);
        assertThat(values()).doesNotContainKey("magnet_breaks_seen_count");
        own.use(choice("", true), Level.SUMMARY);
        kernel.log(new RecordWriter().record(EventType.MARKER, 0, 1, 1, 3, 9));
        awaitValue("magnet_works_seen_count", 6);
        assertThat(values()).as("off until the jar changes").doesNotContainKey("magnet_breaks_seen_count");
        new ProviderSources()
                .handler("Breaks", "breaks", "marker", "")
                .service(Handler.class, "acme.Breaks\n")
                .jar(folder.resolve("own.jar"));
        own.use(choice("", true), Level.SUMMARY);
        awaitMetric("magnet_breaks_seen_count");
        own.end();
        assertThat(Json.of(own.report())).contains("\"off\": \"failed in onEvent: java.lang.AssertionError: three");
    }

    @Test
    void shouldLeaveItsMetricsOutWhileAHandlerStandsStill() throws Exception {
        own.use(choice(SMALL + ALL), Level.SUMMARY);
        awaitMetric("magnet_small_events_count");
        kernel.stall();
        await().until(() -> kernel.hanging);
        MetricSnapshot last = own.values(System.nanoTime()).snapshot();
        assertThat(last).isNotNull();
        OwnHandlers.Values still = own.values(System.nanoTime() + 11_000_000_000L);
        assertThat(still.with(List.of())).containsExactly(HandlerMetrics.OFF);
        assertThat(still.snapshot().value(HandlerMetrics.OFF)).hasValue(2);
        assertThat(still.status()).isEqualTo("; own handlers: 0 metrics, 2 off");
        kernel.goOn();
        await().until(() -> {
            MetricSnapshot now = own.values(System.nanoTime()).snapshot();
            return now != null && now != last;
        });
    }

    @Test
    void shouldBeginItsWindowWhenItsPointsAreSubscribed() throws Exception {
        kernel.atOnce = sends(5, 1);
        kernel.waits = sends(3, 1);
        own.use(choice(SMALL), Level.SUMMARY);
        awaitValue("magnet_small_events_count", 3);
        own.end();
        assertThat(Json.of(own.report())).contains("\"handled\": 3").contains("\"handler_events\": 8");
    }

    @Test
    void shouldSayNothingOfHandlersThatNobodyWantsAnyMore() throws Exception {
        own.use(choice(SMALL), Level.SUMMARY);
        awaitMetric("magnet_small_events_count");
        kernel.ended = true;
        await().until(() -> Map.of("magnet_handlers_off_count", 1.0).equals(values()));
        own.use(HandlerChoice.NONE, Level.SUMMARY);
        assertThat(values()).isEmpty();
    }

    @Test
    void shouldCountWhatItsHandlersCouldNotSee() throws Exception {
        kernel.missed.put("magnetd_reads_0", 7L);
        kernel.counts.put(CollectorCounter.LATE, 4L);
        own.use(choice("[handler reads]\nkind = count\npoint = f:vfs_read%return\n"), Level.SUMMARY);
        awaitMetric("magnet_reads_events_count");
        kernel.counts.put(CollectorCounter.LATE, 7L);
        kernel.counts.put(CollectorCounter.MALFORMED, 2L);
        kernel.counts.put(CollectorCounter.CORRUPT_BYTES, 80L);
        await().untilAsserted(() -> {
            MetricSnapshot snapshot = own.values(System.nanoTime()).snapshot();
            double seconds = snapshot.windowSeconds();
            assertThat(snapshot.value(HandlerMetrics.MISSED).orElseThrow() * seconds)
                    .isCloseTo(7, within(1e-6));
            assertThat(snapshot.value(HandlerMetrics.LATE).orElseThrow() * seconds)
                    .isCloseTo(3, within(1e-6));
            assertThat(snapshot.value(HandlerMetrics.MALFORMED).orElseThrow() * seconds)
                    .isCloseTo(2, within(1e-6));
        });
        own.end();
        assertThat(Json.of(own.report()))
                .contains("\"handler_late\": 7, \"handler_malformed\": 2, \"handler_corrupt_bytes\": 80")
                .contains("\"missed\": 7");
    }

    @Test
    void shouldSayThatAllAreOffWhenNoneHasComeToItsFirstWindow() throws Exception {
        kernel.stall();
        own.use(choice(SMALL + ALL), Level.SUMMARY);
        await().until(() -> kernel.hanging);
        assertThat(values()).doesNotContainKey("magnet_small_events_count");
        OwnHandlers.Values still = own.values(System.nanoTime() + 11_000_000_000L);
        assertThat(still.with(List.of())).containsExactly(HandlerMetrics.OFF);
        assertThat(still.snapshot().value(HandlerMetrics.OFF)).hasValue(2);
        kernel.goOn();
        awaitValue("magnet_handlers_off_count", 0);
    }

    @Test
    void shouldGiveANewHandlerNothingThatWasLoggedByTheRulesOfTheOldOne() throws Exception {
        own.use(choice(SMALL), Level.SUMMARY);
        awaitMetric("magnet_small_events_count");
        kernel.stillThere = sends(5, 1);
        own.use(choice(SMALL.replace("100", "50")), Level.SUMMARY);
        await().until(() -> kernel.log.contains("+udp_sendmsg 'drop if len > 50' 0"));
        own.end();
        assertThat(Json.of(own.report()))
                .containsPattern("drop if len > 100\", \"rules_in\": \"kernel\", \"events\": 5,")
                .containsPattern("drop if len > 50\", \"rules_in\": \"kernel\", \"events\": 0,");
    }

    @Test
    void shouldSayThatAllAreOffWhenTheirBufferIsRemoved() throws Exception {
        own.use(choice(SMALL + ALL), Level.SUMMARY);
        awaitMetric("magnet_small_events_count");
        kernel.ended = true;
        await().until(() -> Map.of("magnet_handlers_off_count", 2.0).equals(values()));
        kernel.ended = false;
        own.use(choice(SMALL), Level.SUMMARY);
        awaitMetric("magnet_small_events_count");
        assertThat(values()).containsEntry("magnet_handlers_off_count", 0.0);
    }

    private HandlerChoice choice(String sections) throws Exception {
        return choice(sections, false);
    }

    private HandlerChoice choice(String sections, boolean jars) throws Exception {
        return new HandlerChoice(jars ? Optional.of(folder) : Optional.empty(), Sections.of(sections));
    }

    private Map<String, Double> values() {
        MetricSnapshot snapshot = own.values(System.nanoTime()).snapshot();
        Map<String, Double> values = new LinkedHashMap<>();
        for (int i = 0; snapshot != null && i < snapshot.size(); i++) {
            values.put(snapshot.metric(i).name(), snapshot.value(i));
        }
        List<Metric> published = own.values(System.nanoTime()).with(new ArrayList<>());
        assertThat(published.size()).isLessThanOrEqualTo(64);
        return values;
    }

    private void awaitMetric(String name) {
        await().until(() -> values().containsKey(name));
    }

    private void awaitValue(String name, double value) {
        await().untilAsserted(() -> assertThat(values()).containsEntry(name, value));
    }

    private static RecordWriter sends(int count, int bytes) {
        RecordWriter records = new RecordWriter();
        for (int i = 0; i < count; i++) {
            records.record(EventType.UDP_SENDMSG, 0, 1, 1, 0, i, bytes);
        }
        return records;
    }
}
