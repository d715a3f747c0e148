// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.assertj.core.data.Offset;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A client that asks for events about itself as TAU does: what its handlers say is what it has done, what the kernel counted
 * of it, and what Ganglia is told.
 */
@GuestTest(turns = true)
final class MuseIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String WINDOW = "magnet_sensor_window_length";
    private static final String FOLDER = "/run/magnet-test";
    private static final String SOCKET = FOLDER + "/magnetd";
    private static final int DATAGRAMS = 1_000;
    private static final int DATAGRAM_BYTES = 1_009;
    private static final int SEGMENTS = 50;
    private static final int SEGMENT_BYTES = 3_001;
    private static final int SLEEPS = 50;
    private static final double MARKERS = 20;
    private static final double NANOS_PER_SECOND = 1e9;
    /** Interrupts are part of a slice, and not of a process's time. */
    private static final double OF_INTERRUPTS = 1.25;
    /** What the kernel does from when it has picked a thread until it says so is part of the thread's time, and of no slice. */
    private static final double OF_PICKING = 0.9;

    private static final String CONFIG =
            """
            [collector]
            buffer-size = 4M
            [publish]
            interval = 5s
            window = 300s
            [muse]
            socket = %s
            listen = 127.0.0.1:9997
            [metrics]
            level = full
            syscalls = off
            [handler client_sends]
            kind = count
            point = inet_sendmsg
            where = %2$s
            [handler client_bytes]
            kind = count
            point = inet_sendmsg
            field = len
            metric = sent
            where = %2$s
            """.formatted(SOCKET, "log if len == " + DATAGRAM_BYTES + "," + SEGMENT_BYTES + "; drop");

    private static final String SWITCHES = "magnet_client_switches_events_count";
    private static final String COUNT_OF_SWITCHES = """
            [handler client_switches]
            kind = count
            point = sched_switch
            where = "log if tgid == %d; drop"
            """;

    /** Its last wait has no end. */
    private static final String SLEEPER = """
            import time
            open("/tmp/go").read()
            for i in range(%d):
                time.sleep(0.001)
            print("slept", flush=True)
            open("/tmp/go").read()
            """.formatted(SLEEPS);

    private final Guest guest;

    MuseIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeAll
    static void load(Guest guest) {
        KernelModule.load(guest, "gid=" + Magnetd.GROUP);
        guest.sh("install -d -o 65534 -m 755 " + FOLDER).orFail();
        Magnetd.configure(guest, CONFIG);
    }

    @AfterEach
    void awaitNothingOn() {
        new ModuleState(guest).awaitNothingOn();
    }

    @Test
    void shouldTellAProcessWhatItDid() {
        tellsAProcessWhatItDid(SOCKET);
    }

    @Test
    @Tag("long")
    void shouldTellAProcessThatAsksThroughThePortWhatItDid() {
        tellsAProcessWhatItDid("9997");
    }

    private void tellsAProcessWhatItDid(String place) {
        try (Gmond gmond = Gmond.start(guest);
                Magnetd magnetd = Magnetd.startUnprivileged(guest)) {
            gmond.await(WINDOW, LIMIT);
            guest.sh(LIMIT, "until [ -S " + SOCKET + " ]; do sleep 0.2; done").orFail();
            Map<String, Double> told = told(place);
            boolean isFile = place.startsWith("/");

            double sends = DATAGRAMS + SEGMENTS;
            double bytes = (double) DATAGRAMS * DATAGRAM_BYTES + (double) SEGMENTS * SEGMENT_BYTES;
            // What it asks goes through a socket of the internet, too, if that is where it asks.
            assertOwn(told.get("sends"), sends, isFile);
            assertOwn(told.get("bytes_sent"), bytes, isFile);
            assertOwn(told.get("bytes_received"), bytes, isFile);
            if (isFile) {
                assertThat(told).containsEntry("markers", MARKERS);
            }
            assertScheduling(told);
            assertBandwidths(told, isFile);
            assertSameInGanglia(gmond, sends, bytes);
            magnetd.stop().orFail();
        }
    }

    /**
     * A process that does nothing from before magnetd starts until after its handler has, and nothing more when both are asked: so
     * the kernel's count of its switches, MUSE's and Ganglia's are of the same ones.
     */
    @Test
    @Tag("long")
    void shouldCountTheSameSwitchesAsTheKernelAndGanglia() {
        guest.sh("rm -f /tmp/go /tmp/ask && mkfifo /tmp/go /tmp/ask").orFail();
        GuestProcess sleeper = guest.start("python3", "-c", SLEEPER);
        Magnetd.configure(guest, CONFIG + COUNT_OF_SWITCHES.formatted(sleeper.pid()));
        try (Gmond gmond = Gmond.start(guest);
                Magnetd magnetd = Magnetd.startUnprivileged(guest)) {
            gmond.await(SWITCHES, LIMIT);
            guest.sh(LIMIT, "until [ -S " + SOCKET + " ]; do sleep 0.2; done").orFail();
            GuestProcess client = guest.start(
                    "integration-tests/workload/muse_switches.py", SOCKET, String.valueOf(sleeper.pid()), "/tmp/ask");
            client.awaitOutput("started", LIMIT);
            assertThat(gmond.xml().number(SWITCHES)).isZero();
            long before = switches(sleeper);
            guest.sh(LIMIT, "echo >/tmp/go").orFail();
            sleeper.awaitOutput("slept", LIMIT);
            guest.sh(LIMIT, "until grep -q '^State:.S' /proc/" + sleeper.pid() + "/status; do sleep 0.2; done")
                    .orFail();
            long done = switches(sleeper) - before;
            guest.sh(LIMIT, "echo >/tmp/ask").orFail();

            assertThat(done).isGreaterThanOrEqualTo(SLEEPS);
            assertThat(client.waitFor(LIMIT).orFail().stdout()).contains("switches " + done + "\n");
            Awaitility.await()
                    .pollInterval(Duration.ofSeconds(2))
                    .atMost(guest.options().scaled(LIMIT))
                    .untilAsserted(
                            () -> assertThat(gmond.xml().number(SWITCHES)).isEqualTo((double) done));
            magnetd.stop().orFail();
        } finally {
            sleeper.kill();
        }
    }

    /** How often the kernel says that a process of one thread has left its CPU. */
    private long switches(GuestProcess process) {
        return Long.parseLong(
                guest.sh("awk '/ctxt_switches/ { n += $2 } END { print n }' /proc/" + process.pid() + "/status")
                        .orFail()
                        .stdout()
                        .strip());
    }

    private Map<String, Double> told(String place) {
        Map<String, Double> told = new TreeMap<>();
        guest.run(LIMIT, "build/tools/muse_client", place, "/sys/kernel/debug/magnet/marker")
                .orFail()
                .stdout()
                .lines()
                .map(line -> line.split(" ", 2))
                .forEach(words -> told.put(words[0], Double.parseDouble(words[1])));
        return told;
    }

    private static void assertOwn(double told, double done, boolean exactly) {
        if (exactly) {
            assertThat(told).isEqualTo(done);
        } else {
            assertThat(told).isGreaterThan(done);
        }
    }

    private static void assertScheduling(Map<String, Double> told) {
        assertThat(told).containsEntry("told_cpus", 2.0);
        assertThat(told.get("told_total_ns")).isBetween(told.get("least_total_ns"), told.get("most_total_ns"));
        assertThat(told.get("told_switches"))
                .isBetween(told.get("least_switches"), told.get("most_switches"))
                .isGreaterThanOrEqualTo(SLEEPS);
        assertThat(told.get("told_busy_ns"))
                .isBetween(OF_PICKING * told.get("least_busy_ns"), OF_INTERRUPTS * told.get("most_busy_ns"));
        for (String what : new String[] {"total_ns", "busy_ns", "switches"}) {
            assertThat(told.get("stopped_" + what))
                    .isGreaterThanOrEqualTo(told.get("told_" + what))
                    .isEqualTo(told.get("still_" + what));
        }
    }

    /** Averages are since the handler was started, shortly before that of the times. */
    private static void assertBandwidths(Map<String, Double> told, boolean exactly) {
        double leastSeconds = told.get("least_total_ns") / NANOS_PER_SECOND;
        double mostSeconds = told.get("handlers_ns") / NANOS_PER_SECOND;
        for (String kind : new String[] {"all", "tcp"}) {
            double bytes =
                    (double) SEGMENTS * SEGMENT_BYTES + (kind.equals("all") ? (double) DATAGRAMS * DATAGRAM_BYTES : 0);
            assertThat(told).containsEntry(kind + "_lost", 0.0);
            for (String way : new String[] {"_sent_per_s", "_received_per_s"}) {
                assertThat(told.get(kind + way)).isGreaterThan(bytes / mostSeconds);
                if (exactly) {
                    assertThat(told.get(kind + way)).isLessThan(bytes / leastSeconds);
                }
            }
            assertThat(told.get(kind + "_block")).isBetween(Math.floor(leastSeconds), Math.floor(mostSeconds));
        }
    }

    /**
     * The markers, and the calls of the client's sizes, which nobody else's have. A publication may lack a packet that gmond had
     * no room for; the next has it.
     */
    private void assertSameInGanglia(Gmond gmond, double sends, double bytes) {
        Awaitility.await()
                .pollInterval(Duration.ofSeconds(2))
                .atMost(guest.options().scaled(LIMIT))
                .untilAsserted(() -> {
                    GmondXml published = gmond.xml();
                    double window = published.number(WINDOW);
                    double rate = published.number("magnet_user_markers_rate");
                    assertThat(rate * window).isCloseTo(MARKERS, Offset.offset(0.5));
                    assertThat(published.number("magnet_client_sends_events_count"))
                            .isEqualTo(sends);
                    assertThat(published.number("magnet_client_bytes_sent_count"))
                            .isEqualTo(bytes);
                });
    }
}
