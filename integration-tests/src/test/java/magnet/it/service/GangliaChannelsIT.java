// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondMetric;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.metric.Metric;
import magnet.metric.Metrics;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * magnetd follows gmond's own configuration: two gmonds, one that hears a multicast group on a dummy device, one that
 * hears unicast; a host name of the administrator's; the module section that switches magnet. And it follows what
 * becomes of them: gmonds that die, that stand still, that are configured anew under way.
 */
@GuestTest(smp = 1)
final class GangliaChannelsIT {
    private static final String DEVICE = "dummy0";
    private static final String MULTICAST =
            "udp_send_channel { mcast_join = 239.2.11.71 mcast_if = dummy0 port = 8649 ttl = 1 }\n";
    private static final String UNICAST = "udp_send_channel { host = 127.0.0.1 port = 8650 }\n";
    private static final String NAMED = """
            globals { override_hostname = "node7" override_ip = "10.99.0.7" }
            """;
    private static final String INCLUDES = "include ('/etc/ganglia/conf.d/*.conf')\n";
    private static final String MODULE = "/etc/ganglia/conf.d/magnet.conf";
    private static final String LATER = "/etc/ganglia/conf.d/later.conf";
    /** It has no metrics of its own. Metadata is not sent by its interval, which is Debian's default. */
    private static final String HEARS_MULTICAST = """
            globals { daemonize = no setuid = no send_metadata_interval = 0 }
            udp_recv_channel { mcast_join = 239.2.11.71 mcast_if = dummy0 bind = 239.2.11.71 port = 8649 }
            tcp_accept_channel { bind = 127.0.0.1 port = 8649 family = inet4 }
            modules {
              module { name = "core_metrics" }
              module { name = "nonesuch" path = "/nonesuch.so" }
            }
            """;

    private static final String HEARS_UNICAST = """
            globals { daemonize = no setuid = no mute = yes }
            udp_recv_channel { bind = 127.0.0.1 port = 8650 family = inet4 }
            tcp_accept_channel { bind = 127.0.0.1 port = 8651 family = inet4 }
            modules { module { name = "core_metrics" } }
            """;
    private static final String UNICAST_CONFIG = "/tmp/unicast.conf";
    private static final String SUMMARY = "/tmp/summary.json";
    private static final int MULTICAST_PORT = 8649;
    private static final int UNICAST_PORT = 8651;

    /** The test's own patience. */
    private static final Duration LIMIT = Duration.ofMinutes(3);
    /** By the guest's clock. */
    private static final Duration RETURN_LIMIT = Duration.ofSeconds(70);

    private static final int STANDSTILL_SECONDS = 60;
    /** Two publications and what emulation takes: no value is older while it is published. */
    private static final int FRESH_SECONDS = 20;

    private final Guest guest;
    private Gmond multicast;
    private Gmond unicast;

    GangliaChannelsIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeAll
    static void prepare(Guest guest) {
        KernelModule.load(guest);
        guest.sh("ip link add " + DEVICE + " type dummy && ip address add 10.99.0.1/24 dev " + DEVICE
                        + " && ip link set " + DEVICE + " up")
                .orFail();
    }

    @BeforeEach
    void startGmonds() {
        guest.sh("rm -rf /etc/ganglia && mkdir -p /etc/ganglia/conf.d").orFail();
        guest.run("install", "-m", "644", "gmond-conf/magnet.conf", MODULE).orFail();
        write(UNICAST_CONFIG, HEARS_UNICAST);
        write(Gmond.CONFIG, HEARS_MULTICAST + MULTICAST + UNICAST + NAMED + INCLUDES);
        Magnetd.configure(guest, "");
        multicast = Gmond.start(guest, Gmond.CONFIG, MULTICAST_PORT);
        unicast = Gmond.start(guest, UNICAST_CONFIG, UNICAST_PORT);
    }

    @AfterEach
    void stopGmonds() {
        multicast.close();
        unicast.close();
        new ModuleState(guest).awaitNothingOn();
    }

    @Test
    void shouldSendToEveryChannelUnderTheNameThatGmetricUses() {
        try (Magnetd magnetd = Magnetd.startAndAwait(guest)) {
            assertThat(magnetd.log()).contains("239.2.11.71:8649 multicast on dummy0, 127.0.0.1:8650");
            awaitAllFresh(multicast);
            awaitAllFresh(unicast);
            guest.run("gmetric", "-c", Gmond.CONFIG, "-n", "witness", "-v", "1", "-t", "int32")
                    .orFail();
            for (Gmond gmond : List.of(multicast, unicast)) {
                gmond.await("witness", LIMIT);
                GmondXml xml = gmond.xml();
                GmondMetric witness = xml.metric("witness").orElseThrow();
                assertThat(witness.host()).isEqualTo("node7");
                assertThat(xml.startingWith("magnet_"))
                        .hasSameSizeAs(Metrics.DEFAULT)
                        .allSatisfy(metric -> assertThat(metric.host()).isEqualTo(witness.host()));
                assertThat(xml.hosts()).isEqualTo(Map.of("node7", "10.99.0.7"));
            }
            magnetd.stop().orFail();
        }
    }

    /** That gmond says what it dislikes, the module that is not there shows. */
    @Test
    void shouldBePassedOverByGmondItself() {
        Awaitility.await()
                .atMost(guest.options().scaled(LIMIT))
                .until(() -> multicast.log().contains("nonesuch"));
        assertThat(multicast.log()).doesNotContainIgnoringCase("magnet").doesNotContain("Java");
        assertThat(multicast.xml().startingWith("magnet_")).isEmpty();
        assertThat(guest.run("gmond", "-c", Gmond.CONFIG, "-m").orFail().stdout())
                .as("gmond's list of what it can collect")
                .contains("heartbeat")
                .doesNotContain("magnet");
    }

    @Test
    void shouldFollowWhenTheConfigurationChangesUnderWay() {
        write(Gmond.CONFIG, HEARS_MULTICAST + UNICAST + INCLUDES);
        try (Magnetd magnetd = Magnetd.startAndAwait(guest, "--summary", SUMMARY)) {
            awaitAllFresh(unicast);
            assertThat(multicast.xml().startingWith("magnet_")).isEmpty();

            write(Gmond.CONFIG, HEARS_MULTICAST + MULTICAST + NAMED + INCLUDES);
            guest.run("kill", "-HUP", String.valueOf(magnetd.pid())).orFail();
            awaitAllFresh(multicast);
            assertThat(hostsOf(multicast)).containsExactly("node7");
            awaitNoneFresh(unicast);

            write(LATER, UNICAST);
            awaitAllFresh(unicast);
            assertThat(hostsOf(unicast)).contains("node7");

            write(LATER, UNICAST + "globals {\n  mute = perhaps\n}\n");
            magnetd.awaitLog(LATER + ":3: mute = 'perhaps' is neither yes nor no");
            awaitAllFresh(multicast);
            awaitAllFresh(unicast);
            assertThat(magnetd.log().lines().filter(line -> line.contains("ERROR")))
                    .hasSize(1);
            guest.run("rm", LATER).orFail();
            awaitNoneFresh(unicast);
            awaitAllFresh(multicast);

            assertThat(magnetd.log().lines().filter(line -> line.contains("publishing " + Metrics.DEFAULT.size())))
                    .as("one run, which lost nothing")
                    .hasSize(1);
            magnetd.stop().orFail();
        }
        assertNothingLost();
    }

    @Test
    @Tag("long")
    void shouldSwitchWhenTheModuleSectionDoes() {
        ModuleState module = new ModuleState(guest);
        guest.run("sed", "-i", "s/enabled = yes/enabled = no/", MODULE).orFail();
        try (Magnetd magnetd = Magnetd.start(guest)) {
            magnetd.awaitLog("enabled = no");
            assertThat(module.buffers()).isEmpty();

            guest.sh("sed -i 's/enabled = no/enabled = yes/; s/# param metrics.network { value = \"on\"/param"
                            + " metrics.network { value = \"off\"/' " + MODULE)
                    .orFail();
            magnetd.awaitLog("publishing ");
            Set<String> names = Metrics.DEFAULT.stream()
                    .map(Metric::name)
                    .filter(name -> !name.startsWith("magnet_net_"))
                    .collect(Collectors.toSet());
            await(multicast, xml -> namesIn(xml).equals(names));

            guest.run("sed", "-i", "s/enabled = yes/enabled = no/", MODULE).orFail();
            module.awaitNothingOn();
            assertThat(magnetd.isAlive()).isTrue();
            awaitNoneFresh(multicast);
            magnetd.stop().orFail();
        }
    }

    /** Nobody tells a sender to a group that a member has gone and come back: only time helps. */
    @Test
    @Tag("long")
    void shouldComeBackWhenTheGmondOfAGroupDiesAndIsStartedAgain() {
        try (Magnetd magnetd = Magnetd.startAndAwait(guest)) {
            awaitAllFresh(multicast);
            // The first publications all carry metadata; they shall not help.
            guest.sh(LIMIT, "sleep 20").orFail();
            multicast.kill();
            long began = now();
            multicast = Gmond.start(guest, Gmond.CONFIG, MULTICAST_PORT);
            awaitAllFresh(multicast);

            Duration took = Duration.ofSeconds(now() - began);
            System.out.println("all metrics in the gmond of a group after " + took);
            assertThat(took).isLessThan(guest.options().scaled(RETURN_LIMIT));
            assertThat(magnetd.log()).doesNotContain("WARN");
            magnetd.stop().orFail();
        }
    }

    @Test
    @Tag("long")
    void shouldSayOnceWhenTheGmondOfAHostDiesAndOnceWhenItIsBack() {
        try (Magnetd magnetd = Magnetd.startAndAwait(guest)) {
            awaitAllFresh(unicast);
            unicast.kill();
            magnetd.awaitLog("127.0.0.1:8650: nobody listens");
            guest.sh(LIMIT, "sleep 70").orFail();
            assertThat(warnings(magnetd)).as("over more than a minute").hasSize(1);
            awaitAllFresh(multicast);
            unicast = Gmond.start(guest, UNICAST_CONFIG, UNICAST_PORT);
            awaitAllFresh(unicast);
            magnetd.awaitLog("127.0.0.1:8650: works again, after ");
            assertThat(warnings(magnetd)).hasSize(1);
            magnetd.stop().orFail();
        }
    }

    /** What its socket has no room for is lost there, but no event and no snapshot is lost here. */
    @Test
    @Tag("long")
    void shouldGoOnWhenAGmondStandsStillForAWhile() {
        try (Magnetd magnetd = Magnetd.startAndAwait(guest, "--summary", SUMMARY)) {
            awaitAllFresh(unicast);
            unicast.pause();
            long until = now() + STANDSTILL_SECONDS;
            while (now() < until) {
                awaitAllFresh(multicast);
            }
            unicast.proceed();
            awaitAllFresh(unicast);
            assertThat(warnings(magnetd)).isEmpty();
            magnetd.stop().orFail();
        }
        assertNothingLost();
    }

    private void assertNothingLost() {
        JsonObject summary = Json.object(guest.read(SUMMARY));
        assertThat(summary.get("lost").getAsLong()).isZero();
        assertThat(summary.get("snapshots_dropped").getAsLong()).isZero();
        assertThat(summary.get("snapshots_failed").getAsLong()).isZero();
        assertThat(summary.get("send_errors").getAsLong()).isZero();
        assertThat(summary.get("snapshots_published").getAsLong()).isPositive();
    }

    private static List<String> warnings(Magnetd magnetd) {
        return magnetd.log()
                .lines()
                .filter(line -> line.contains(" WARN ") || line.contains(" ERROR "))
                .toList();
    }

    private void write(String file, String text) {
        guest.start(text, List.of("install", "-m", "644", "/dev/stdin", file))
                .waitFor(LIMIT)
                .orFail();
    }

    private long now() {
        return Long.parseLong(guest.run("date", "+%s").orFail().stdout().strip());
    }

    private static Set<String> namesIn(GmondXml xml) {
        return xml.startingWith("magnet_").stream().map(GmondMetric::name).collect(Collectors.toSet());
    }

    private static Set<String> hostsOf(Gmond gmond) {
        return gmond.xml().startingWith("magnet_").stream()
                .map(GmondMetric::host)
                .collect(Collectors.toSet());
    }

    private void awaitAllFresh(Gmond gmond) {
        await(
                gmond,
                xml -> xml.startingWith("magnet_").stream()
                                .filter(metric -> metric.tn() < FRESH_SECONDS)
                                .map(GmondMetric::name)
                                .distinct()
                                .count()
                        == Metrics.DEFAULT.size());
    }

    private void awaitNoneFresh(Gmond gmond) {
        await(gmond, xml -> xml.startingWith("magnet_").stream().noneMatch(metric -> metric.tn() < FRESH_SECONDS));
    }

    private void await(Gmond gmond, Predicate<GmondXml> until) {
        Awaitility.await()
                .pollInterval(Duration.ofSeconds(1))
                .atMost(guest.options().scaled(LIMIT))
                .until(gmond::xml, until);
    }
}
