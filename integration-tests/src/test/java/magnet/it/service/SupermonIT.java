// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
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
import org.junit.jupiter.api.Test;

/**
 * What a client made of sfsexp, the library of Supermon's own authors, understands of magnetd: the standard categories are what
 * /proc says, magnet's own are what gmond has of the same publication, and a concentrator hands on both.
 */
@GuestTest(turns = true)
final class SupermonIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String WINDOW = "magnet_sensor_window_length";
    private static final int CONCENTRATOR_PORT = 2710;
    private static final String HOLE = "/run/magnet-test/monhole";
    /** A device that is up, and whose name is not UTF-8. */
    private static final String ODD_DEVICE = "$'\\xff\\xfe'";

    private static final String CONFIG = """
            [collector]
            buffer-size = 16M
            [publish]
            interval = 5s
            window = 25s
            [supermon]
            listen = 127.0.0.1
            hole = %s
            [metrics]
            level = full
            """.formatted(HOLE);

    private static @Nullable Publishing service;

    private final Guest guest;

    SupermonIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeAll
    static void start(Guest guest) {
        KernelModule.load(guest);
        guest.sh("install -d -m 755 " + HOLE.substring(0, HOLE.lastIndexOf('/')))
                .orFail();
        Magnetd.configure(guest, CONFIG);
        service = Publishing.start(guest);
    }

    @AfterAll
    static void stop(Guest guest) {
        Objects.requireNonNull(service).end();
        new ModuleState(guest).awaitNothingOn();
        assertThat(guest.sh("ls " + HOLE).stdout()).isEmpty();
    }

    /** A sample: of each category the variables, each with its values. */
    private record Sample(Map<String, Map<String, List<String>>> categories) {
        List<String> values(String category, String variable) {
            assertThat(categories).containsKey(category);
            assertThat(categories.get(category)).containsKey(variable);
            return categories.get(category).get(variable);
        }

        long number(String category, String variable) {
            return Long.parseLong(values(category, variable).get(0));
        }

        static Sample of(JsonArray records) {
            Map<String, Map<String, List<String>>> categories = new HashMap<>();
            for (JsonElement each : records) {
                JsonArray fields = each.getAsJsonArray();
                assertThat(fields).hasSize(5);
                JsonArray data = fields.get(4).getAsJsonArray();
                Map<String, List<String>> variables =
                        categories.computeIfAbsent(fields.get(1).getAsString(), any -> new LinkedHashMap<>());
                if (data.get(0).isJsonArray()) {
                    data.forEach(variable -> add(variables, variable.getAsJsonArray()));
                } else {
                    add(variables, data);
                }
            }
            return new Sample(categories);
        }

        private static void add(Map<String, List<String>> variables, JsonArray variable) {
            List<String> values = new ArrayList<>();
            variable.forEach(each -> values.add(each.getAsString()));
            variables.put(values.remove(0), values);
        }
    }

    /** All answers to a request that ends with Q. */
    private List<JsonArray> ask(int port, String request) {
        return guest.run(LIMIT, "build/tools/supermon_client", String.valueOf(port), request)
                .orFail()
                .stdout()
                .lines()
                .map(line -> JsonParser.parseString(line).getAsJsonArray())
                .toList();
    }

    private Sample sample(String mask) {
        return Sample.of(ask(2709, mask + "SQ").get(0));
    }

    private Sample awaitSample(String mask, String category) {
        guest.sh(LIMIT, "until build/tools/supermon_client 2709 0x1SQ >/dev/null 2>&1; do sleep 0.5; done")
                .orFail();
        return Awaitility.await()
                .atMost(guest.options().scaled(LIMIT))
                .until(() -> sample(mask), each -> each.categories().containsKey(category));
    }

    @Test
    void shouldGiveWhatProcSays() {
        awaitSample("0x1ff", "cpuinfo");
        Proc before = Proc.read(guest);
        Sample sample = sample("0x1ff");
        Proc after = Proc.read(guest);

        for (String column : List.of("user", "nice", "system")) {
            int field = List.of("user", "nice", "system").indexOf(column) + 1;
            assertBetween(before.cpus(field), sample.values("cpuinfo", column), after.cpus(field));
        }
        for (String count : List.of("pgpgin", "pgpgout", "pswpin", "pswpout")) {
            assertThat(sample.number("paging", count))
                    .isBetween(before.number("vmstat", count), after.number("vmstat", count));
        }
        assertThat(sample.number("switch", "switch"))
                .isBetween(before.number("stat", "ctxt"), after.number("stat", "ctxt"));
        assertThat(sample.number("meminfo", "total")).isEqualTo(before.number("meminfo", "MemTotal:"));
        assertThat(sample.number("swapinfo", "total")).isEqualTo(before.number("meminfo", "SwapTotal:"));
        assertThat(sample.number("time", "timestamp")).isBetween(before.seconds(), after.seconds());
        assertLoad();
        assertDevices(before, sample, after);
    }

    /** The kernel computes it each 5 s, and so twice while a slow guest is asked thrice: it counts when it stood still. */
    private void assertLoad() {
        Load load = Awaitility.await()
                .atMost(guest.options().scaled(LIMIT))
                .until(
                        () -> new Load(Load.read(guest), sample("0x40").values("avenrun", "avenrun"), Load.read(guest)),
                        each -> each.before().equals(each.after()));
        assertThat(load.sampled()).isEqualTo(load.before());
    }

    /** Load averages times 100, as /proc has them before and after a sample. */
    private record Load(List<String> before, List<String> sampled, List<String> after) {
        static List<String> read(Guest guest) {
            return Stream.of(guest.sh("cat /proc/loadavg").orFail().stdout().split(" ", -1))
                    .limit(3)
                    .map(load -> String.valueOf(Math.round(Double.parseDouble(load) * 100)))
                    .toList();
        }
    }

    private static void assertBetween(List<Long> least, List<String> values, List<Long> most) {
        assertThat(values).hasSameSizeAs(least);
        for (int i = 0; i < values.size(); i++) {
            assertThat(Long.parseLong(values.get(i))).isBetween(least.get(i), most.get(i));
        }
    }

    private static void assertDevices(Proc before, Sample sample, Proc after) {
        List<String> names = sample.values("netinfo", "name");
        assertThat(names).isEqualTo(before.devices()).contains("lo");
        for (int i = 0; i < names.size(); i++) {
            assertThat(Long.parseLong(sample.values("netinfo", "rxbytes").get(i)))
                    .isBetween(before.device(names.get(i), 0), after.device(names.get(i), 0));
            assertThat(Long.parseLong(sample.values("netinfo", "txpackets").get(i)))
                    .isBetween(before.device(names.get(i), 9), after.device(names.get(i), 9));
        }
    }

    /** Files of /proc, read at a moment. */
    private record Proc(Map<String, String> files, long seconds) {
        static Proc read(Guest guest) {
            Map<String, String> files = new HashMap<>();
            for (String file : List.of("stat", "vmstat", "meminfo", "net/dev")) {
                files.put(file, guest.sh("cat /proc/" + file).orFail().stdout());
            }
            long seconds =
                    Long.parseLong(guest.run("date", "+%s").orFail().stdout().strip());
            return new Proc(files, seconds);
        }

        private List<List<String>> rows(String file) {
            return files.get(file)
                    .lines()
                    .map(line -> List.of(line.strip().split("[\\s]+", -1)))
                    .toList();
        }

        long number(String file, String key) {
            return rows(file).stream()
                    .filter(row -> row.get(0).equals(key))
                    .mapToLong(row -> Long.parseLong(row.get(1)))
                    .findFirst()
                    .orElseThrow();
        }

        List<Long> cpus(int field) {
            return rows("stat").stream()
                    .filter(row -> row.get(0).matches("cpu\\d+"))
                    .map(row -> Long.parseLong(row.get(field)))
                    .toList();
        }

        List<String> devices() {
            return rows("net/dev").stream()
                    .map(row -> row.get(0))
                    .filter(name -> name.endsWith(":"))
                    .map(name -> name.substring(0, name.length() - 1))
                    .toList();
        }

        long device(String name, int column) {
            return rows("net/dev").stream()
                    .filter(row -> row.get(0).equals(name + ":"))
                    .mapToLong(row -> Long.parseLong(row.get(1 + column)))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** A publication as both show it. A gmond writes its XML while values come in, so that all have to be there before. */
    private record Publication(Sample before, GmondXml arrived, GmondXml xml, Sample sample) {
        private static double window(Sample sample) {
            return Double.parseDouble(sample.values("magnet_sensor", WINDOW).get(0));
        }

        /** Whether none began while gmond was asked, and all of this one had arrived there before. */
        boolean isOne() {
            double length = window(sample);
            return window(before) == length && has(arrived, length) && has(xml, length);
        }

        private static boolean has(GmondXml xml, double length) {
            return xml.metric(WINDOW)
                    .map(shown -> Math.abs(shown.number() - length) < 0.000_001)
                    .orElse(false);
        }
    }

    @Test
    void shouldGiveWhatGmondHas() {
        Gmond asked = Objects.requireNonNull(service).gmond();
        awaitSample("0xfffff000", "magnet_sensor");
        assertAgree(Awaitility.await()
                .atMost(guest.options().scaled(LIMIT))
                .until(
                        () -> new Publication(sample("0xfffff000"), asked.xml(), asked.xml(), sample("0xfffff000")),
                        Publication::isOne));
    }

    /** What is sent after the window's length may still be on its way to gmond. */
    private static void assertAgree(Publication both) {
        Map<String, String> values = new HashMap<>();
        both.sample().categories().forEach((category, variables) -> {
            // What programs say of themselves through the hole is nobody else's.
            if (!category.equals("monhole")) {
                variables.forEach((name, value) -> {
                    assertThat(value).as(name).hasSize(1);
                    values.put(name, value.get(0));
                });
            }
        });
        int compared = 0;
        List<Metric> published = Metrics.of(Level.FULL);
        for (Metric metric :
                published.subList(0, published.indexOf(Metrics.named(WINDOW).orElseThrow()))) {
            if (metric.type() == ValueType.STRING || isRanked(metric)) {
                continue;
            }
            assertThat(values).containsKey(metric.name());
            double value = Double.parseDouble(values.get(metric.name()));
            double shown = both.xml().metric(metric.name()).orElseThrow().number();
            assertThat(shown)
                    .as(metric.name())
                    .isCloseTo(value, Offset.offset(0.500_001 * Math.pow(10, -metric.decimals()) + value * 1e-12));
            compared++;
        }
        assertThat(compared).isGreaterThan(Metrics.DEFAULT.size());
    }

    private static boolean isRanked(Metric metric) {
        return Metrics.RANKINGS.stream()
                .anyMatch((Ranking each) -> each.numbers().contains(metric));
    }

    @Test
    void shouldHandOnThroughAConcentratorWhatItAndItsProgramsSay() {
        awaitSample("0x1", "cpuinfo");
        guest.start(
                        "(phase 3 \"solve A\")",
                        List.of(
                                "setpriv",
                                "--reuid=65534",
                                "--regid=65534",
                                "--clear-groups",
                                "/usr/bin/python3",
                                "-c",
                                """
                                import socket, sys
                                hole = socket.socket(socket.AF_UNIX)
                                hole.connect("%s")
                                hole.sendall(sys.stdin.buffer.read())
                                hole.shutdown(socket.SHUT_WR)
                                sys.exit(len(hole.recv(100)))
                                """.formatted(HOLE)))
                .waitFor(LIMIT)
                .orFail();
        GuestProcess concentrator = guest.start(
                "sensor-java/bin/magnet",
                "supermon",
                "--listen",
                "127.0.0.1:" + CONCENTRATOR_PORT,
                "127.0.0.1",
                "127.0.0.1:1");
        try {
            guest.sh(
                            LIMIT,
                            "until build/tools/supermon_client %1$d 0x1SQ 2>/dev/null | grep -q cpuinfo; do sleep 0.5; done"
                                    .formatted(CONCENTRATOR_PORT))
                    .orFail();
            List<JsonArray> answers = ask(CONCENTRATOR_PORT, "0x10000000S0x80041S#Q");
            Sample own = Sample.of(answers.get(0));
            assertThat(own.values("supermon", "nodes")).containsExactly("2");
            assertThat(own.values("supermon", "up")).containsExactly("1");
            Sample sample = Sample.of(answers.get(1));
            assertThat(sample.categories()).containsOnlyKeys("cpuinfo", "avenrun", "monhole");
            assertThat(sample.values("monhole", "phase")).containsExactly("3", "solve A");
            assertThat(answers.get(2)).hasSize(4);
            assertThat(answers.get(2).get(3).toString()).isEqualTo("[\"nodes\",\"1\"]");
        } finally {
            concentrator.signal("TERM");
            concentrator.waitFor(LIMIT);
        }
    }

    @Test
    void shouldShowADeviceWhoseNameIsNotText() {
        guest.sh("ip link add name " + ODD_DEVICE + " type dummy && ip address add 10.97.0.1/24 dev " + ODD_DEVICE
                        + " && ip link set " + ODD_DEVICE + " up")
                .orFail();
        try {
            assertThat(awaitSample("0x1ff", "netinfo").values("netinfo", "name"))
                    .contains("lo", "??");
        } finally {
            guest.sh("ip link del " + ODD_DEVICE).orFail();
        }
    }
}
