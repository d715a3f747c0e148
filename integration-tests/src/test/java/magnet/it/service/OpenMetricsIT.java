// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.Metrics;
import magnet.metric.Ranking;
import magnet.metric.ValueType;
import org.assertj.core.data.Offset;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What curl fetches from magnetd, and Prometheus' own parser reads, is what gmond has of the same publication; and what
 * the workload did, exactly.
 */
@GuestTest(smp = 1)
final class OpenMetricsIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int INTERVAL = 5;
    /** In which all that is published, and three who ask for it, are done on a busy machine: what is asked is of one publication. */
    private static final int LONG_INTERVAL = 20;

    private static final int MARKERS = 53;
    private static final int DATAGRAMS = 10_007;
    private static final int HANGING = 20;
    private static final int CANNOT_CONNECT = 7;
    private static final String SUMMARY = "/tmp/summary.json";
    private static final String WINDOW = "magnet_sensor_window_length";
    private static final String PAGE_WINDOW = WINDOW + "_seconds";
    /** 15 bytes, all that a process can call itself. */
    private static final String HOSTILE = "a\"}\\\n{<&>'# EOF";

    private static final String CONFIG = """
            [collector]
            buffer-size = 16M
            [publish]
            interval = %1$ds
            window = %2$ds
            openmetrics = 127.0.0.1:9464
            [metrics]
            level = full
            """;

    private final Guest guest;

    OpenMetricsIT(Guest guest) {
        this.guest = guest;
    }

    /** A publication as both show it. */
    private record Publication(OpenMetricsPage before, GmondXml xml, OpenMetricsPage page) {
        /** Both at once, as far as that can be: they may be of two publications, then. */
        static Publication newest(Guest guest, Gmond gmond) {
            OpenMetricsPage.save(guest);
            OpenMetricsPage before = OpenMetricsPage.read(guest);
            GmondXml xml = gmond.xml();
            OpenMetricsPage.save(guest);
            return new Publication(before, xml, OpenMetricsPage.read(guest));
        }

        /** Whether none began while gmond was asked, and all of this one had arrived there. */
        boolean isOne() {
            double length = page.family(PAGE_WINDOW).value();
            return before.family(PAGE_WINDOW).value() == length
                    && xml.metric(WINDOW)
                            .map(shown -> Math.abs(shown.number() - length) < 0.000_001)
                            .orElse(false);
        }
    }

    @BeforeAll
    static void load(Guest guest) {
        KernelModule.load(guest);
        guest.sh("ip netns add load && ip -n load link set lo up").orFail();
    }

    private static void configure(Guest guest, int intervalSeconds, int windowSeconds) {
        Magnetd.configure(guest, CONFIG.formatted(intervalSeconds, windowSeconds));
    }

    private static void assertNothingLeft(Guest guest) {
        new ModuleState(guest).awaitNothingOn();
        assertThat(curl(guest, "-s").exitCode()).as("nobody answers").isEqualTo(CANNOT_CONNECT);
    }

    private static GuestResult curl(Guest guest, String... options) {
        List<String> command = new ArrayList<>(List.of("curl", "--max-time", "30"));
        command.addAll(List.of(options));
        command.add(OpenMetricsPage.URL);
        return guest.run(LIMIT, command.toArray(String[]::new));
    }

    private static void awaitPage(Guest guest) {
        guest.sh(LIMIT, "until curl -sf --max-time 10 -o /dev/null " + OpenMetricsPage.URL + "; do sleep 0.5; done")
                .orFail();
    }

    @Test
    void shouldShowWhatGmondHasAndWhatTheWorkloadDid() {
        // Windows grow: all that happened since the start is in them.
        configure(guest, LONG_INTERVAL, 60 * LONG_INTERVAL);
        Publication both;
        try (Gmond gmond = Gmond.start(guest);
                Magnetd magnetd = Magnetd.startAndAwait(guest, "--summary", SUMMARY)) {
            gmond.await(WINDOW, LIMIT);
            guest.run(LIMIT, "ip", "netns", "exec", "load", "build/tools/udp_mix", "" + DATAGRAMS, "9")
                    .orFail();
            guest.sh("for ((i = 1; i <= " + MARKERS
                            + "; i++)); do echo \"$i hello\" >/sys/kernel/debug/magnet/marker; done")
                    .orFail();
            both = Awaitility.await()
                    .atMost(guest.options().scaled(LIMIT))
                    .until(
                            () -> Publication.newest(guest, gmond),
                            each -> each.isOne() && inWindow(each.page(), "magnet_user_markers_rate") == MARKERS);
            assertThat(OpenMetricsPage.fetchText(guest).families().keySet())
                    .as("as text")
                    .isSubsetOf(
                            Metrics.ALL.stream().map(OpenMetricsIT::pageName).toList())
                    .hasSizeGreaterThan(Metrics.DEFAULT.size());
            magnetd.stop().orFail();
        }
        assertThat(inWindow(both.page(), "magnet_net_udp_send_packets_rate")).isGreaterThanOrEqualTo(DATAGRAMS);
        assertAgree(both);
        assertCountedAsInTheSummary(both.page());
        assertNothingLeft(guest);
    }

    /** What is sent after the window's length may still be on its way to gmond. */
    private static void assertAgree(Publication both) {
        List<Metric> published = Metrics.of(Level.FULL);
        List<Metric> before =
                published.subList(0, published.indexOf(Metrics.named(WINDOW).orElseThrow()));
        int compared = 0;
        for (Metric metric : before) {
            if (metric.type() != ValueType.STRING && !isRanked(metric)) {
                OpenMetricsPage.Family family = both.page().family(pageName(metric));
                assertThat(family.type()).isEqualTo("gauge");
                assertThat(family.name()).endsWith(family.unit());
                assertThat(family.help()).isEqualTo(metric.description());
                double value = family.value() * perBase(metric);
                double shown = both.xml().metric(metric.name()).orElseThrow().number();
                assertThat(shown)
                        .as(metric.name())
                        .isCloseTo(value, Offset.offset(0.500_001 * Math.pow(10, -metric.decimals()) + value * 1e-12));
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(Metrics.DEFAULT.size());
    }

    private void assertCountedAsInTheSummary(OpenMetricsPage page) {
        JsonObject summary = Json.object(guest.read(SUMMARY));
        assertThat(summary.get("lost").getAsLong()).isZero();
        assertThat(summary.get("corrupt_bytes").getAsLong()).isZero();
        JsonObject events = summary.getAsJsonObject("events_by_id");
        assertThat(events.get("marker").getAsLong()).isEqualTo(MARKERS);
        assertThat(inWindow(page, "magnet_net_udp_send_packets_rate"))
                .isBetween((long) DATAGRAMS, events.get("udp_sendmsg").getAsLong());
        assertThat(page.family("magnet_sensor_corrupt_bytes_rate").value()).isZero();
        assertThat(inWindow(page, "magnet_sensor_records_rate"))
                .isGreaterThanOrEqualTo(inWindow(page, "magnet_sensor_events_rate"));
    }

    /** A rate of this page times its window, which is a whole number of events. */
    private static long inWindow(OpenMetricsPage page, String rate) {
        double count = page.family(rate).value() * page.family(PAGE_WINDOW).value();
        assertThat(count).isCloseTo((double) Math.round(count), Offset.offset(1e-6 * (1 + count)));
        return Math.round(count);
    }

    private static boolean isRanked(Metric metric) {
        return Metrics.RANKINGS.stream().anyMatch(ranking -> ranking.numbers().contains(metric));
    }

    private static String pageName(Metric metric) {
        for (Ranking ranking : Metrics.RANKINGS) {
            if (ranking.numbers().contains(metric) || ranking.names().contains(metric)) {
                return withUnit(ranking.name(), ranking.unit());
            }
        }
        return withUnit(metric.name(), metric.unit());
    }

    private static String withUnit(String name, String unit) {
        return switch (unit) {
            case "us", "s" -> name + "_seconds";
            case "bytes" -> name + "_bytes";
            case "%" -> name.replaceFirst("_percent$", "") + "_ratio";
            default -> name;
        };
    }

    private static double perBase(Metric metric) {
        return metric.unit().equals("us") ? 1e6 : metric.unit().equals("%") ? 100 : 1;
    }

    /** What these do to the service loses nothing. */
    @Nested
    class WhileItPublishes {
        private static @Nullable Publishing service;

        @BeforeAll
        static void start(Guest guest) {
            configure(guest, INTERVAL, 5 * INTERVAL);
            Publishing started = Publishing.start(guest, "--summary", SUMMARY);
            service = started;
            assertThat(started.magnetd().log()).contains(", " + OpenMetricsPage.URL);
            awaitPage(guest);
        }

        @AfterAll
        static void stop(Guest guest) {
            Objects.requireNonNull(service).end();
            assertThat(Json.object(guest.read(SUMMARY)).get("lost").getAsLong()).isZero();
            assertNothingLeft(guest);
        }

        @Test
        void shouldShowProcessesThatCallThemselvesSomethingHostile() {
            GuestProcess burner = guest.start("perl", "-e", "$0 = $ARGV[0]; 1 while 1", HOSTILE);
            try {
                String process = HOSTILE + " " + burner.pid();
                Awaitility.await()
                        .atMost(guest.options().scaled(LIMIT))
                        .ignoreExceptionsInstanceOf(AssertionError.class)
                        .until(() ->
                                OpenMetricsPage.fetch(guest).family("magnet_top_cpu_ratio").samples().keySet().stream()
                                        .anyMatch(labels -> process.equals(labels.get("process"))));
                Map<Map<String, String>, Double> top = OpenMetricsPage.fetch(guest)
                        .family("magnet_top_cpu_ratio")
                        .samples();
                assertThat(top.keySet()).allSatisfy(labels -> assertThat(labels).containsOnlyKeys("place", "process"));
                assertThat(OpenMetricsPage.fetchText(guest)
                                .family("magnet_top_cpu_ratio")
                                .samples()
                                .keySet())
                        .anySatisfy(labels -> assertThat(labels).containsEntry("process", process));
            } finally {
                burner.kill();
            }
        }

        @Test
        void shouldAnswerOthersWhileClientsHang() {
            guest.sh(LIMIT, """
                    for ((i = 0; i < %d; i++)); do
                        exec {half}<>/dev/tcp/127.0.0.1/9464
                        printf 'GET /metrics HTTP/1.1\\r\\nHost:' >&$half
                    done
                    curl -sSf --max-time 30 -o /tmp/first %s
                    until curl -sSf --max-time 30 -o /tmp/next %s && ! cmp -s /tmp/first /tmp/next; do sleep 0.5; done
                    """.formatted(HANGING, OpenMetricsPage.URL, OpenMetricsPage.URL))
                    .orFail();
        }

        @Test
        void shouldListenOnLoopbackOnlyAndForReadingOnly() {
            assertThat(guest.run("ss", "-Htln", "sport", "=", ":9464")
                            .orFail()
                            .stdout()
                            .lines())
                    .singleElement()
                    .asString()
                    .containsPattern("\\s(\\[::ffff:127\\.0\\.0\\.1]|127\\.0\\.0\\.1):9464\\s");
            assertThat(curl(guest, "-sSI").orFail().stdout())
                    .startsWith("HTTP/1.1 200 ")
                    .containsIgnoringCase("Last-Modified: ")
                    .containsIgnoringCase("Content-Length: ");
            assertThat(curl(guest, "-sS", "-d", "x=1", "-o", "/dev/null", "-w", "%{http_code}")
                            .orFail()
                            .stdout())
                    .isEqualTo("405");
        }
    }

    @Test
    @Tag("long")
    void shouldSayOnceThatThePortIsTakenAndGoOnWithGanglia() {
        configure(guest, INTERVAL, 5 * INTERVAL);
        GuestProcess other = guest.start("/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", "9464");
        try (Gmond gmond = Gmond.start(guest)) {
            guest.sh(LIMIT, "until ss -Htln sport = :9464 | grep -q 9464; do sleep 0.2; done")
                    .orFail();
            try (Magnetd magnetd = Magnetd.startAndAwait(guest)) {
                magnetd.awaitLog("openmetrics: cannot listen at " + OpenMetricsPage.URL + ": Address already in use");
                gmond.await(WINDOW, LIMIT);
                other.kill();
                awaitPage(guest);
                assertThat(magnetd.log().lines().filter(line -> line.contains("openmetrics: cannot listen")))
                        .hasSize(1);
                magnetd.stop().orFail();
            }
        } finally {
            other.kill();
        }
        assertNothingLeft(guest);
    }
}
