// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondMetric;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.metric.Metric;
import magnet.metric.Replacement;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * {@code replace}: a gmond that no longer collects them has its own metrics from magnet, made of events, and they agree
 * with what the kernel counts over the same time: packets and bytes to the last one, the time of CPUs as far as samples
 * of it can tell. One window grows over the whole workload.
 */
@GuestTest
final class ReplaceIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final int INTERVALS = 40;
    private static final String WINDOW = "magnet_sensor_window_length";
    private static final String GMOND_CONF = "/etc/ganglia/gmond.conf";
    private static final String REPORTS = "/usr/share/ganglia-webfrontend/graph.d/";
    private static final int OUT = 1_009;
    private static final int IN = 503;
    private static final int PAYLOAD = 1_400;
    private static final int WORK_SECONDS = 30;
    /** The kernel samples at each tick, and both ends of the window are known to some seconds. */
    private static final double PERCENT_OF_SAMPLES = 8;

    private static final int CPUS = 2;
    /** Half of the last digit of a rate and of the window, each times the other, and half a packet. */
    private static final double RATE_DIGIT = 0.005;

    private static final double WINDOW_DIGIT = 0.000_000_5;

    private static final String CONFIG = """
            [collector]
            buffer-size = 16M
            [publish]
            interval = %ds
            window = %ds
            [metrics]
            level = heartbeat
            replace = cpu, cpu-interrupts, network
            """;
    /** All devices but the loopback, as gmond reads them. */
    private static final String DEVICES = """
            awk -F '[: ]+' 'NR > 2 { sub("^ +", ""); if ($1 != "lo") { bi += $2; pi += $3; bo += $10; po += $11 } }
                END { printf "bytes_in %d\\npkts_in %d\\nbytes_out %d\\npkts_out %d\\n", bi, pi, bo, po }' /proc/net/dev
            """;
    /** As gmond reads them: interrupts are in cpu_system, too. */
    private static final String TIMES = """
            awk '$1 == "cpu" { printf "cpu_user %d\\ncpu_nice %d\\ncpu_system %d\\nidle %d\\nall %d\\n",
                $2, $3, $4 + $7 + $8, $5 + $6, $2 + $3 + $4 + $5 + $6 + $7 + $8 }' /proc/stat
            awk '{ printf "hundredths %d\\n", 100 * $1 }' /proc/uptime
            """;

    private static GmondXml published = GmondXml.parse("<GANGLIA_XML/>");
    private static GmondXml without = GmondXml.parse("<GANGLIA_XML/>");
    private static Map<String, Long> atMost = Map.of();
    private static Map<String, Long> atLeast = Map.of();
    private static Map<String, Long> times = Map.of();
    private static String log = "";

    @BeforeAll
    static void runWithReplacements(Guest guest) {
        KernelModule.load(guest);
        long interval = guest.options().scaled(INTERVAL).toSeconds();
        Magnetd.configure(guest, CONFIG.formatted(interval, INTERVALS * interval));
        guest.run("install", "-D", "integration-tests/ganglia/gmond.conf", GMOND_CONF)
                .orFail();
        guest.sh(LIMIT, """
                sed -Ei '/name = "(cpu_|bytes_|pkts_)/d' %s
                grep -q load_one %1$s
                ip netns add peer
                ip link add mg0 type veth peer name mg1 netns peer
                ip address add 10.9.0.1/24 dev mg0
                ip link set mg0 up
                ip -n peer address add 10.9.0.2/24 dev mg1
                ip -n peer link set mg1 up
                ip -n peer link set lo up
                """.formatted(GMOND_CONF)).orFail();
        Map<String, Long> beforeStart = Counters.read(guest, DEVICES);
        try (Gmond gmond = Gmond.start(guest, GMOND_CONF, 8649)) {
            without = gmond.xml();
            try (Magnetd magnetd = Magnetd.startAndAwait(guest)) {
                Map<String, Long> timesBefore = Counters.read(guest, TIMES);
                gmond.await(WINDOW, LIMIT);
                Map<String, Long> afterStart = Counters.read(guest, DEVICES);
                work(guest);
                Map<String, Long> beforeEnd = Counters.read(guest, DEVICES);
                Counters.awaitTwoPublications(gmond, guest);
                published = gmond.xml();
                times = Counters.difference(timesBefore, Counters.read(guest, TIMES));
                atMost = Counters.difference(beforeStart, Counters.read(guest, DEVICES));
                atLeast = Counters.difference(afterStart, beforeEnd);
                log = magnetd.log();
                magnetd.stop().orFail();
            }
        }
        assertThat(window()).as("the window still grew").isLessThan((double) INTERVALS * interval);
    }

    /** One CPU runs a program, then one that is nice, while the other sends and receives. */
    private static void work(Guest guest) {
        GuestProcess burn = guest.start(
                "taskset",
                "-c",
                "1",
                "bash",
                "-c",
                "timeout %1$d bash -c 'while :; do :; done'; nice -n 10 timeout %1$d bash -c 'while :; do :; done'"
                        .formatted(WORK_SECONDS / 2));
        guest.sh(LIMIT, """
                build/tools/udp_stream send 10.9.0.2 9 %1$d 200 10 >/tmp/sent
                ip netns exec peer build/tools/udp_stream send 10.9.0.1 9 %1$d 100 10 >>/tmp/sent
                for ((i = 0; i < %2$d; i++)); do echo x >/dev/udp/10.9.0.2/7; done
                ip netns exec peer bash -c 'for ((i = 0; i < %3$d; i++)); do echo x >/dev/udp/10.9.0.1/7; done'
                ip netns exec peer iperf3 -s -1 -D
                until ip netns exec peer ss -ltn | grep -q :5201; do sleep 0.2; done
                iperf3 -c 10.9.0.2 -n 8M >/dev/null
                """.formatted(PAYLOAD, OUT, IN)).orFail();
        burn.waitFor(LIMIT);
    }

    @Test
    void shouldHaveFromMagnetWhatGmondNoLongerCollects() {
        assertThat(without.metric("load_one")).as("gmond collects the rest").isPresent();
        for (Metric metric : Replacement.all()) {
            assertThat(without.metric(metric.name())).as(metric.name()).isEmpty();
            GmondMetric shown = published.metric(metric.name()).orElseThrow();
            assertThat(shown)
                    .returns("float", GmondMetric::type)
                    .returns(metric.unit(), GmondMetric::units)
                    .returns("both", GmondMetric::slope)
                    .returns(metric.title(), GmondMetric::title)
                    .returns(List.of(metric.group().ganglia()), GmondMetric::groups);
        }
        assertThat(log).doesNotContain("gmond still collects");
        assertThat(number("magnet_sensor_lost_rate")).isZero();
        assertThat(number("magnet_sensor_points_failed")).isZero();
    }

    @Test
    void shouldCountPacketsAndBytesAsProcNetDevDoes() {
        assertThat(atLeast.get("pkts_out")).isGreaterThan(OUT + 200L);
        assertThat(atLeast.get("pkts_in")).isGreaterThan(IN + 100L);
        assertThat(atLeast.get("bytes_out")).as("iperf3's, too").isGreaterThan(8L << 20);
        for (Metric metric : Replacement.NETWORK.metrics()) {
            double rate = number(metric.name());
            double slack = 0.5 + RATE_DIGIT * window() + WINDOW_DIGIT * rate;
            assertThat(rate * window())
                    .as(metric.name())
                    .isBetween(atLeast.get(metric.name()) - slack, atMost.get(metric.name()) + slack);
        }
    }

    @Test
    void shouldShareTheTimeOfCpusOutAsProcStatDoes() {
        Offset<Double> known = Offset.offset(PERCENT_OF_SAMPLES + percentWithoutTicks());
        for (String name : List.of("cpu_user", "cpu_nice", "cpu_system")) {
            assertThat(number(name)).as(name).isCloseTo(percent(name), known);
        }
        assertThat(number("cpu_idle")).isCloseTo(percent("idle"), known);
        assertThat(number("cpu_user")).as("one of two CPUs, half of the work").isGreaterThan(5);
        assertThat(number("cpu_nice")).as("the other half").isGreaterThan(5);
    }

    @Test
    void shouldAddUpToAHundredPercent() {
        assertThat(number("cpu_user") + number("cpu_nice") + number("cpu_system") + number("cpu_idle"))
                .isCloseTo(100, Offset.offset(0.002));
        assertThat(number("cpu_intr") + number("cpu_sintr")).isBetween(0.001, number("cpu_system") + 0.001);
    }

    /** What the stock reports draw is what is published; what else the report of the CPUs knows it draws if it is there. */
    @Test
    void shouldFeedTheStockReports(Guest guest) {
        assertThat(series(guest, "network_report")).containsExactlyInAnyOrder("bytes_in", "bytes_out");
        assertThat(series(guest, "packet_report")).containsExactlyInAnyOrder("pkts_in", "pkts_out");
        Set<String> drawn = new TreeSet<>(series(guest, "network_report"));
        drawn.addAll(series(guest, "packet_report"));

        String php = guest.read(REPORTS + "cpu_report.php");
        Set<String> known = names(php, "DEF:'(cpu_\\w+)'='\\$\\{rrd_dir");
        Set<String> optional = names(php, "file_exists\\(\"\\$rrd_dir/(cpu_\\w+)\\.rrd\"\\)");
        assertThat(known).contains("cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_wio");
        Set<String> unknowable = new TreeSet<>(known);
        unknowable.removeAll(Replacement.all().stream().map(Metric::name).collect(Collectors.toSet()));
        assertThat(optional).as("drawn only if there").containsAll(unknowable);
        assertThat(unknowable)
                .allSatisfy(name -> assertThat(published.metric(name)).as(name).isEmpty());
        known.removeAll(unknowable);
        drawn.addAll(known);

        assertThat(drawn).allSatisfy(name -> {
            GmondMetric metric = published.metric(name).orElseThrow();
            assertThat(metric.type()).as(name).isEqualTo("float");
            assertThat(metric.slope()).as(name).isEqualTo("both");
            assertThat(metric.units())
                    .as(name)
                    .isEqualTo(name.startsWith("cpu_") ? "%" : name.startsWith("bytes_") ? "bytes/sec" : "packets/sec");
        });
    }

    private static Set<String> series(Guest guest, String report) {
        Set<String> metrics = new TreeSet<>();
        for (JsonElement series :
                Json.object(guest.read(REPORTS + report + ".json")).getAsJsonArray("series")) {
            metrics.add(series.getAsJsonObject().get("metric").getAsString());
        }
        return metrics;
    }

    private static Set<String> names(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static double number(String metric) {
        return published.metric(metric).orElseThrow().number();
    }

    private static double window() {
        return number(WINDOW);
    }

    /** A processor of a guest that does not run has no ticks: nobody knows what it would have done then. */
    private static double percentWithoutTicks() {
        double all = CPUS * times.get("hundredths");
        return 100 * Math.max(0, all - times.get("all")) / all;
    }

    private static double percent(String part) {
        return 100.0 * times.get(part) / times.get("all");
    }
}
