// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.metric.Metrics;
import magnet.record.EventType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What is wrong is said in one line that tells what to do, with an exit code of its own; or the service runs on.
 * What a configuration can have wrong in detail is tested beside the code that reads it.
 */
@GuestTest(smp = 1)
final class BadInputIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int FAILED = 1;
    private static final int USAGE = 2;
    private static final int ALREADY_RUNNING = 8;
    private static final int CONFIGURATION = 4;
    private static final int NO_MODULE = 5;
    private static final int NO_PERMISSION = 6;

    private static final String GROUP = "4711";
    private static final List<String> NOBODY = List.of("setpriv", "--reuid=65534", "--regid=65534");
    private static final List<String> NO_RIGHTS = List.of("--clear-groups", "--inh-caps=-all", "--bounding-set=-all");
    private static final List<String> CAPABILITY =
            List.of("--inh-caps=-all,+perfmon", "--ambient-caps=+perfmon", "--bounding-set=-all,+perfmon");
    /** CapEff in /proc/PID/status of a process that has CAP_PERFMON and no other. */
    private static final String ONLY_PERFMON = "CapEff:\t0000004000000000";

    private static final GuestResult NOT_RUN = new GuestResult(List.of(), -1, "", "");

    private static Magnetd magnetdAsNobody(Guest guest, List<String> rights, String... arguments) {
        return Magnetd.run(
                guest,
                Stream.of(NOBODY, rights, List.of(Magnetd.COMMAND), List.of(arguments))
                        .flatMap(List::stream)
                        .toArray(String[]::new));
    }

    /** Exit code, nothing on stdout, and but for magnetd's INFO exactly one line on stderr, which says all of this. */
    private static void assertRefused(GuestResult result, int exitCode, String... saying) {
        assertThat(result.exitCode()).as("%s", result).isEqualTo(exitCode);
        assertThat(warnings(result)).singleElement().asString().contains(saying);
        assertThat(result.stdout()).isEmpty();
    }

    private static List<String> warnings(GuestResult result) {
        return result.stderr().lines().filter(line -> !line.contains(" INFO ")).toList();
    }

    @BeforeEach
    void configureWell(Guest guest) {
        GmondConf.install(guest);
        Magnetd.configure(guest, GmondConf.CONFIG);
    }

    @Nested
    class WithoutModule {
        @Test
        void shouldSayHowToLoadIt(Guest guest) {
            assertRefused(Magnetd.start(guest).await(), NO_MODULE, "ERROR", "module is not loaded", "modprobe magnet");
        }

        @Test
        @Tag("long")
        void shouldNameLineAndNearestKeyWhenKeyIsUnknown(Guest guest) {
            Magnetd.configure(guest, "[collector]\n\nwatermarc = 32K\n");

            assertRefused(
                    Magnetd.start(guest).await(),
                    CONFIGURATION,
                    "ERROR",
                    Magnetd.CONFIG + ":3: unknown key",
                    "watermarc",
                    "did you mean",
                    "watermark");
        }

        @Test
        @Tag("long")
        void shouldNameFileAndLineWhenGmondConfIsMalformed(Guest guest) {
            GmondConf.install(guest, "udp_send_channel {\n  host = 127.0.0.1\n  port = \n}\n");

            assertRefused(Magnetd.start(guest).await(), CONFIGURATION, "ERROR", GmondConf.FILE + ":4: ");
        }

        @Test
        void shouldSayWhyWhenGmondConfIsUnreadable(Guest guest) {
            guest.run("chmod", "600", GmondConf.FILE).orFail();

            assertRefused(
                    magnetdAsNobody(guest, NO_RIGHTS).await(),
                    CONFIGURATION,
                    "ERROR",
                    GmondConf.FILE,
                    "ermission denied");
        }

        @Test
        @Tag("long")
        void shouldNameNearestOptionWhenOptionIsUnknown(Guest guest) {
            assertRefused(Magnetd.start(guest, "--confg", "x").await(), USAGE, "--confg", "did you mean --config?");
        }
    }

    /** It needs neither debugfs nor gmond, and no more than one group and one capability. */
    @Nested
    class WithoutAllThatCanBeSpared {
        private static final String SUMMARY = "/tmp/summary.json";
        private static final String PID_FILE = "/run/magnetd/pid";
        private static final int PACKETS = 300;

        private static String rights = "";
        private static GuestResult second = NOT_RUN;
        private static GuestResult first = NOT_RUN;
        private static String pidFile = "";
        private static long pid;
        private static Set<String> pointsOn = Set.of();
        private static JsonObject summary = new JsonObject();

        @BeforeAll
        static void run(Guest guest) {
            KernelModule.load(guest, "gid=" + GROUP);
            GmondConf.install(guest);
            Magnetd.configure(
                    guest, GmondConf.CONFIG + "[publish]\ninterval = 1s\n[service]\npid-file = " + PID_FILE + "\n");
            guest.run("install", "-d", "-o", "65534", "/run/magnetd").orFail();
            guest.run("umount", "/sys/kernel/debug").orFail();
            List<String> group = List.of("--groups=" + GROUP);
            List<String> serviceRights =
                    Stream.of(group, CAPABILITY).flatMap(List::stream).toList();
            try (Magnetd magnetd = magnetdAsNobody(guest, serviceRights, "--summary", SUMMARY)) {
                magnetd.awaitLog("publishing ");
                awaitPacketsThatNobodyHears(guest);
                second = Magnetd.start(guest).await();
                pid = magnetd.pid();
                pidFile = guest.read(PID_FILE);
                rights = guest.read("/proc/" + magnetd.pid() + "/status");
                mountDebugfs(guest);
                pointsOn = new ModuleState(guest).pointsOn();
                first = magnetd.stop();
                guest.run("test", "!", "-e", PID_FILE).orFail();
            }
            summary = Json.object(guest.read(SUMMARY));
        }

        @AfterAll
        static void remove(Guest guest) {
            KernelModule.remove(guest);
        }

        private static void mountDebugfs(Guest guest) {
            guest.run("mount", "-t", "debugfs", "debugfs", "/sys/kernel/debug").orFail();
        }

        /** The kernel counts datagrams to a port at which nobody listens. */
        private static void awaitPacketsThatNobodyHears(Guest guest) {
            guest.sh(LIMIT, """
                    unheard() { awk '$1 == "Udp:" && $3 ~ /^[0-9]/ { print $3 }' /proc/net/snmp; }
                    before=$(unheard)
                    until (( $(unheard) >= before + %d )); do sleep 0.2; done
                    """.formatted(PACKETS)).orFail();
        }

        @Test
        void shouldRunWithOneGroupAndOneCapability() {
            assertThat(rights.lines()).contains(ONLY_PERFMON).anyMatch(line -> line.matches("Uid:(\t65534){4}"));
            assertThat(pointsOn).contains("sched_switch", "udp_sendmsg");
            assertThat(first.exitCode()).as("%s", first).isZero();
            assertThat(summary.get("events").getAsLong()).isGreaterThan(0);
        }

        @Test
        void shouldSayOnceThatNobodyListensAndCountWhatFailed() {
            // On a slow machine the channel opens after the first publication.
            assertThat(warnings(first))
                    .filteredOn(
                            line -> !line.contains("cannot be opened yet") && !line.contains("no send channel could"))
                    .singleElement()
                    .asString()
                    .contains("WARN", "127.0.0.1:8649", "nobody listens");
            assertThat(summary.get("send_errors").getAsLong()).isGreaterThan(0);
        }

        @Test
        void shouldRefuseSecondService() {
            assertRefused(second, ALREADY_RUNNING, "ERROR", "another magnetd is running");
            assertThat(pidFile).as("the first one's file").isEqualTo(pid + "\n");
        }
    }

    @Nested
    class WithoutRights {
        @BeforeAll
        static void load(Guest guest) {
            KernelModule.load(guest, "gid=" + GROUP);
        }

        @AfterAll
        static void remove(Guest guest) {
            KernelModule.remove(guest);
        }

        @Test
        void shouldNameTheCapability(Guest guest) {
            assertRefused(magnetdAsNobody(guest, NO_RIGHTS).await(), NO_PERMISSION, "ERROR", "CAP_PERFMON");
        }

        @Test
        void shouldNameTheGroup(Guest guest) {
            List<String> rights = Stream.concat(Stream.of("--clear-groups"), CAPABILITY.stream())
                    .toList();

            assertRefused(magnetdAsNobody(guest, rights).await(), NO_PERMISSION, "ERROR", "ermission denied", "group");
        }
    }

    /** A module that asks this kernel for functions that it does not have. */
    @Nested
    class WithPointsThatThisKernelDoesNotHave {
        private static final String RENAME = "s/\\x00%1$s\\x00/\\x00%2$s\\x00/;";

        @BeforeAll
        static void load(Guest guest) {
            String names = RENAME.formatted("__dev_queue_xmit", "__dev_queue_xmiX")
                    + RENAME.formatted("udpv6_rcv", "udpv6_rcX");
            guest.run("cp", KernelModule.file(guest.options().kernel()).toString(), "/tmp/magnet.ko")
                    .orFail();
            guest.sh("LC_ALL=C sed -i '" + names + "' /tmp/magnet.ko && insmod /tmp/magnet.ko")
                    .orFail();
        }

        @AfterAll
        static void remove(Guest guest) {
            KernelModule.remove(guest);
        }

        @Test
        void shouldShowThem(Guest guest) {
            assertThat(new ModuleState(guest).events())
                    .anyMatch(line -> line.contains("__dev_queue_xmiX") && line.endsWith("=unresolved"))
                    .anyMatch(line -> line.contains("udp_rcv=off") && line.contains("none-of(udpv6_rcX)=unresolved"));
            assertThat(Magnet.run(guest, "points").orFail().stdout().lines())
                    .anyMatch(line -> line.contains(" dev_queue_xmit ") && line.contains(" missing "))
                    .anyMatch(line -> line.contains(" udp_rcv ") && line.contains(" partly missing "));
        }

        @Test
        @Tag("long")
        void shouldRefuseToReadThem(Guest guest) {
            assertRefused(
                    Magnet.run(guest, "read", "-p", "dev_queue_xmit"), FAILED, "dev_queue_xmit", "__dev_queue_xmiX");
        }

        @Test
        void shouldRunWithoutThemAndSaySoOnce(Guest guest) {
            try (Magnetd magnetd = Magnetd.startAndAwait(guest)) {
                GuestResult result = magnetd.stop().orFail();

                long metrics = Metrics.DEFAULT.stream()
                        .filter(metric -> !metric.events().contains(EventType.DEV_QUEUE_XMIT))
                        .count();
                assertThat(metrics).isBetween(1L, Metrics.DEFAULT.size() - 1L);
                assertThat(result.stderr()).contains("publishing " + metrics + " metrics");
                assertThat(warnings(result).stream().filter(line -> !line.contains("nobody listens")))
                        .hasSize(2)
                        .anyMatch(line -> line.contains("running without 1 of") && line.contains("dev_queue_xmit"))
                        .anyMatch(line -> line.contains("see only a part") && line.contains("udp_rcv"));
            }
        }
    }
}
