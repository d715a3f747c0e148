// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondMetric;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.assertj.core.data.Offset;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What happens to a machine: its clock is set, programs and devices have names as they like. Nothing stops the collection,
 * each event that was logged is delivered, and a parser reads what gmond and gmetad say. Gmonds that die, stand still or are
 * configured anew are in {@link GangliaChannelsIT}, a full disk in {@link magnet.it.kmod.SavedTraceIT}.
 */
@GuestTest(smp = 1)
final class AdversitiesIT {
    private static final String SUMMARY = "/tmp/summary.json";
    private static final String GMETAD = "/tmp/gmetad.conf";
    private static final String RRDS = "/tmp/rrds";
    private static final int HOUR = 3_600;
    private static final int FRESH_SECONDS = 20;
    private static final int DATAGRAMS = 1_009;
    private static final String WINDOW = "magnet_sensor_window_length";
    private static final Duration STILL = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofMinutes(3);

    /** As bash's printf writes them; the kernel keeps 15 bytes of each. */
    private static final String[] PROCESSES = {
        "a\"b&c<d>\\047e/f", "\\303\\251\\346\\227\\245\\001\\ttab", "one\\ntwo\\\\%%s"
    };
    /** A network device may be called so, but for the slash. */
    private static final String DEVICE = "q\"&<x>'";

    private final Guest guest;

    AdversitiesIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeAll
    static void load(Guest guest) {
        KernelModule.load(guest);
    }

    @BeforeEach
    void configure() {
        Magnetd.configure(guest, """
                [collector]
                buffer-size = 16M
                [publish]
                interval = 1s
                [metrics]
                level = full
                """);
    }

    @AfterEach
    void leaveNothingOn() {
        new ModuleState(guest).awaitNothingOn();
    }

    @Test
    void shouldGoOnWhenTheClockIsSetBackAnHourAndForthAgain() {
        try (Gmond gmond = Gmond.start(guest);
                Magnetd magnetd = Magnetd.startAndAwait(guest, "--summary", SUMMARY)) {
            awaitFresh(gmond);
            setClock(-HOUR);
            // What gmond keeps was heard in its future now; only what is sent from here on is fresh.
            awaitFresh(gmond);
            guest.sh(LIMIT, "sleep 10").orFail();
            awaitFresh(gmond);
            setClock(HOUR);
            awaitFresh(gmond);
            assertThat(magnetd.stop().orFail().stderr())
                    .doesNotContain(" WARN ")
                    .doesNotContain(" ERROR ");
        }
        JsonObject summary = assertAllDelivered();
        assertThat(summary.get("seconds").getAsDouble()).isBetween(10.0, (double) LIMIT.toSeconds() * 10);
        assertThat(summary.get("snapshots_published").getAsLong()).isGreaterThan(10);
    }

    /** A virtual machine whose host takes it off its processors, as for a migration. */
    @Test
    void shouldCountExactlyWhenTheMachineStoodStill() throws InterruptedException {
        try (TeeingMagnetd magnetd = TeeingMagnetd.startAndAwait(guest, TeeingMagnetd.config("16M"))) {
            TeeWindow.next(guest, magnetd.windows());
            long before = sendDatagrams();
            guest.monitor("stop");
            guest.awaitMonitor("info status", "paused", LIMIT);
            Thread.sleep(STILL.toMillis());
            guest.monitor("cont");
            long after = sendDatagrams();
            TeeWindow last = TeeWindow.next(guest, magnetd.windows());
            magnetd.stop();

            assertThat(last.fromByte()).as("the window still grew").isZero();
            List<RawRecord> sends = RawRecord.in(magnetd.windows().resolveSibling("records.raw")).stream()
                    .filter(each -> each.event() == RawRecord.UDP_SENDMSG && each.at() < last.toByte())
                    .toList();
            assertThat(sends.stream().filter(each -> each.tgid() == before)).hasSize(DATAGRAMS);
            assertThat(sends.stream().filter(each -> each.tgid() == after)).hasSize(DATAGRAMS);
            assertThat(last.value("magnet_net_udp_send_packets_rate") * last.value(WINDOW))
                    .isCloseTo(sends.size(), Offset.offset(0.01));
            assertThat(last.value("magnet_sensor_lost_rate")).isZero();
            double up = Double.parseDouble(guest.read("/proc/uptime").split(" ", -1)[0]);
            TeeWindow.in(magnetd.windows()).forEach(window -> PossibleValues.check(window, 1, up));
        }
    }

    private long sendDatagrams() {
        GuestProcess sender = guest.start("build/tools/udp_mix", "" + DATAGRAMS, "9");
        sender.waitFor(LIMIT).orFail();
        return sender.pid();
    }

    @Test
    @Tag("long")
    void shouldBreakNoXmlAndNoGraphWhenNamesAreHostile() {
        guest.run("ip", "link", "add", "name", DEVICE, "type", "dummy").orFail();
        guest.run("ip", "address", "add", "10.98.0.1/24", "dev", DEVICE).orFail();
        guest.run("ip", "link", "set", DEVICE, "up").orFail();
        guest.sh("mkdir -p " + RRDS + "; cat >" + GMETAD + " <<'END'\n" + """
                data_source "magnet test" 5 127.0.0.1:8649
                gridname "test"
                rrd_rootdir "%s"
                RRAs "RRA:AVERAGE:0.5:1:1000"
                setuid off
                xml_port 8661
                interactive_port 8662
                END
                """.formatted(RRDS))
                .orFail();
        try (Gmond gmond = Gmond.start(guest);
                Magnetd magnetd = Magnetd.startAndAwait(guest, "--summary", SUMMARY)) {
            guest.sh(LIMIT, """
                    gmetad -c %s -d 1 >/tmp/gmetad.log 2>&1 & echo $! >/tmp/pids
                    for name in '%s' '%s' '%s'; do
                        (renice -n 19 $BASHPID >/dev/null; printf "$name" >/proc/$BASHPID/comm; : >/dev/udp/10.98.0.2/9; while :; do :; done) & echo $!
                    done >>/tmp/pids
                    """.formatted(GMETAD, PROCESSES[0], PROCESSES[1], PROCESSES[2]))
                    .orFail();
            awaitName(gmond, "a b c d  e/f");
            Awaitility.await()
                    .atMost(guest.options().scaled(LIMIT))
                    .untilAsserted(() -> assertThat(gmetad().startingWith("magnet_top_"))
                            .anyMatch(metric -> metric.value().startsWith("a b c d  e/f")));
            GmondXml told = gmond.xml();
            assertThat(told.startingWith("magnet_").stream().map(GmondMetric::value))
                    .allMatch(value -> value.matches("[ -~&&[^&<>\"']]*"));
            // Of a publication gmetad may have asked for the names when the values were still on their way to gmond.
            Awaitility.await()
                    .atMost(guest.options().scaled(LIMIT))
                    .untilAsserted(() -> assertThat(rrds()).contains("magnet_top_cpu_1_value.rrd"));
            assertThat(rrds()).allMatch(file -> file.matches("[A-Za-z0-9_.-]+"));
            guest.sh("xargs kill </tmp/pids").orFail();
            guest.run("ip", "link", "del", DEVICE).orFail();
            assertThat(magnetd.stop().orFail().stderr()).doesNotContain(" ERROR ");
        }
        assertAllDelivered();
    }

    private void setClock(int seconds) {
        guest.sh("date -s @$(( $(date +%s) + (" + seconds + ") ))").orFail();
    }

    /** New values come in, all of one second: an old one can look fresh when the clock goes back, a new one always is. */
    private void awaitFresh(Gmond gmond) {
        String before = windowOf(gmond);
        Awaitility.await().atMost(guest.options().scaled(LIMIT)).untilAsserted(() -> {
            assertThat(windowOf(gmond)).isNotEqualTo(before);
            assertThat(gmond.xml().startingWith("magnet_"))
                    .isNotEmpty()
                    .allMatch(metric -> Math.abs(metric.tn()) < FRESH_SECONDS);
        });
    }

    private static String windowOf(Gmond gmond) {
        return gmond.xml().metric(WINDOW).map(GmondMetric::value).orElse("");
    }

    private void awaitName(Gmond gmond, String name) {
        Awaitility.await()
                .atMost(guest.options().scaled(LIMIT))
                .until(() -> gmond.xml().startingWith("magnet_top_").stream()
                        .anyMatch(metric -> metric.value().startsWith(name)));
    }

    private GmondXml gmetad() {
        return GmondXml.parse(guest.sh("cat </dev/tcp/127.0.0.1/8661").orFail().stdout());
    }

    private Set<String> rrds() {
        return guest.sh("find " + RRDS + " -name '*.rrd' -printf '%f\\n'")
                .orFail()
                .stdout()
                .lines()
                .collect(Collectors.toSet());
    }

    /** Each event that the kernel logged has arrived, and nothing went wrong in between. */
    private JsonObject assertAllDelivered() {
        JsonObject summary = Json.object(guest.read(SUMMARY));
        assertThat(summary.get("malformed").getAsLong()).isZero();
        assertThat(summary.get("events").getAsLong()).isPositive();
        for (JsonElement subscription : summary.getAsJsonArray("subscriptions")) {
            for (JsonElement each : subscription.getAsJsonObject().getAsJsonArray("cpus")) {
                JsonObject cpu = each.getAsJsonObject();
                assertThat(cpu.get("delivered").getAsLong())
                        .as("%s", cpu)
                        .isEqualTo(cpu.get("committed").getAsLong());
                assertThat(cpu.get("committed").getAsLong()
                                + cpu.get("dropped_full").getAsLong()
                                + cpu.get("dropped_big").getAsLong()
                                + cpu.get("dropped_recursion").getAsLong()
                                + cpu.get("dropped_storm").getAsLong())
                        .as("%s", cpu)
                        .isEqualTo(cpu.get("hits").getAsLong());
            }
        }
        return summary;
    }
}
