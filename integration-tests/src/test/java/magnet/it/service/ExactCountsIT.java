// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A published rate times the published window is the exact number of events, to the last digit that is printed, and
 * the workload's part in it is exactly what the workload did.
 */
@GuestTest
final class ExactCountsIT {
    private static final int DATAGRAMS = 10_007;
    /** Of each, see udp_mix.c. */
    private static final int BYTES = 6;

    private static final int PROCESSES = 211;
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final double HALF_A_DIGIT = 0.000_000_5;
    private static final String WINDOW = "magnet_sensor_window_length";
    /** A window so long that it still grows when the test is over: all events since the start are in it. */
    private static final Duration INTERVAL = Duration.ofSeconds(3);

    private static final String CONFIG = """
            [collector]
            buffer-size = 8M
            [publish]
            interval = %1$ds
            window = %2$ds
            [service]
            tee-directory = /tmp/tee
            """;

    private static GmondXml published = GmondXml.parse("<GANGLIA_XML/>");
    private static List<RawRecord> records = List.of();
    private static long sender;
    private static long datagramsOfNamespace;
    private static Map<String, Sends> oddSends = Map.of();
    private static long parent;

    @BeforeAll
    static void runWorkloads(Guest guest, @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
        KernelModule.load(guest);
        long interval = guest.options().scaled(INTERVAL).toSeconds();
        Magnetd.configure(guest, CONFIG.formatted(interval, 60 * interval));
        try (Gmond gmond = Gmond.start(guest);
                Magnetd magnetd = Magnetd.startAndAwait(guest)) {
            gmond.await(WINDOW, LIMIT);
            sendDatagrams(guest);
            oddSends = sendOddly(guest);
            makeProcesses(guest);
            awaitTwoPublications(guest);
            magnetd.stop().orFail();
            published = gmond.xml();
        }
        List<TeeWindow> windows = TeeWindow.in(guest.fetch("/tmp/tee/windows.jsonl", folder.resolve("windows.jsonl")));
        TeeWindow window = TeeWindow.published(windows, number(WINDOW));
        assertThat(window.fromByte()).as("the window still grew").isZero();
        records = RawRecord.in(guest.fetch("/tmp/tee/records.raw", folder.resolve("records.raw"))).stream()
                .filter(each -> each.at() < window.toByte())
                .toList();
    }

    /** In a namespace of its own, where the kernel counts no other datagrams. */
    private static void sendDatagrams(Guest guest) {
        guest.sh("ip netns add load && ip -n load link set lo up").orFail();
        GuestProcess mix = guest.start("ip", "netns", "exec", "load", "build/tools/udp_mix", "" + DATAGRAMS, "9");
        sender = mix.pid();
        mix.waitFor(LIMIT).orFail();
        datagramsOfNamespace = guest.sh("ip netns exec load cat /proc/net/snmp /proc/net/snmp6")
                .orFail()
                .stdout()
                .lines()
                .filter(line -> line.matches("(Udp: \\d|Udp6OutDatagrams).*"))
                .map(line -> line.split("\\s+", -1))
                .mapToLong(words -> Long.parseLong(words[words.length == 2 ? 1 : 4]))
                .sum();
    }

    /**
     * What a way to send came to.
     *
     * @param cookie its socket's
     * @param calls that it made
     * @param datagrams that the kernel counted
     */
    private record Sends(long cookie, long calls, long datagrams) {
        static long of(int event, long cookie) {
            return count(each -> each.event() == event && each.id() == cookie);
        }
    }

    private static Map<String, Sends> sendOddly(Guest guest) {
        return guest.run(LIMIT, "ip", "netns", "exec", "load", "integration-tests/workload/odd_sends.py")
                .orFail()
                .stdout()
                .lines()
                .map(line -> line.split(" ", -1))
                .collect(Collectors.toMap(
                        words -> words[0],
                        words -> new Sends(
                                Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]))));
    }

    private static void makeProcesses(Guest guest) {
        GuestProcess shell =
                guest.start("bash", "-c", "for ((i = 0; i < " + PROCESSES + "; i++)); do /bin/true; done; exit 0");
        parent = shell.pid();
        shell.waitFor(LIMIT).orFail();
    }

    /** The first that begins after now has all that was done before, and is in gmond when the second begins. */
    private static void awaitTwoPublications(Guest guest) {
        guest.sh(LIMIT, """
                lines() { wc -l </tmp/tee/windows.jsonl; }
                before=$(lines)
                until (( $(lines) >= before + 3 )); do sleep 0.2; done
                """).orFail();
    }

    @Test
    void shouldPublishExactNumberOfDatagramsAndBytes() {
        List<RawRecord> sends = records.stream()
                .filter(each -> each.event() == RawRecord.UDP_SENDMSG)
                .toList();

        assertThat(datagramsOfNamespace).as("the kernel's own count").isEqualTo(DATAGRAMS);
        assertThat(sends)
                .filteredOn(each -> each.tgid() == sender)
                .hasSize(DATAGRAMS)
                .allMatch(each -> each.u32(0) == BYTES);
        assertPublished("magnet_net_udp_send_packets_rate", sends.size());
        assertPublished(
                "magnet_net_udp_send_bytes_rate",
                sends.stream().mapToLong(each -> each.u32(0)).sum());
    }

    /** What hands data to UDP are calls; what IP is given are the datagrams that the kernel counts, too. */
    @Test
    void shouldPublishCallsAtUdpAndDatagramsAtIp() {
        assertThat(oddSends).containsOnlyKeys("corked", "segments", "refused", "sendfile");
        oddSends.forEach((way, sends) -> {
            assertThat(Sends.of(RawRecord.UDP_SENDMSG, sends.cookie())).as(way).isEqualTo(sends.calls());
            assertThat(Sends.of(RawRecord.IP_SEND_SKB, sends.cookie())).as(way).isEqualTo(sends.datagrams());
            assertThat(sends.datagrams()).as(way).isEqualTo(1);
            assertThat(Sends.of(RawRecord.INET_SENDMSG, sends.cookie()))
                    .as(way)
                    .isEqualTo(way.equals("sendfile") ? 0 : sends.calls());
        });
        assertPublished("magnet_net_ip_send_packets_rate", count(each -> each.event() == RawRecord.IP_SEND_SKB));
    }

    @Test
    void shouldPublishExactNumberOfProcesses() {
        Predicate<RawRecord> makesProcess =
                each -> each.event() == RawRecord.SCHED_PROCESS_FORK && each.id() == each.u32(0);
        Set<Long> children = records.stream()
                .filter(makesProcess.and(each -> each.tgid() == parent))
                .map(RawRecord::id)
                .collect(Collectors.toSet());

        assertThat(children).hasSize(PROCESSES);
        assertPublished("magnet_process_forks_rate", count(makesProcess));
        assertOnceEach(children, "magnet_process_execs_rate", each -> each.event() == RawRecord.SCHED_PROCESS_EXEC);
        assertOnceEach(
                children,
                "magnet_process_exits_rate",
                each -> each.event() == RawRecord.SCHED_PROCESS_EXIT && each.u32(4) == 1);
    }

    private static void assertOnceEach(Set<Long> tids, String rate, Predicate<RawRecord> event) {
        assertThat(count(event.and(each -> tids.contains(each.tid())))).as(rate).isEqualTo(tids.size());
        assertPublished(rate, count(event));
    }

    private static void assertPublished(String rate, long count) {
        double window = number(WINDOW);
        double perSecond = number(rate);
        assertThat(perSecond * window)
                .as(rate)
                .isCloseTo((double) count, Offset.offset(HALF_A_DIGIT * (perSecond + window) + HALF_A_DIGIT));
    }

    private static long count(Predicate<RawRecord> event) {
        return records.stream().filter(event).count();
    }

    private static double number(String metric) {
        return published.metric(metric).orElseThrow().number();
    }
}
