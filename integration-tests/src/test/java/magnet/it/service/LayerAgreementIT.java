// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Packets and bytes at each layer, and packets that are thrown away, by reason: what magnetd publishes is what bpftrace
 * counts at the same functions, what the kernel's own counters of protocols and devices say, and what the work sent. There
 * is no other traffic: magnetd's own has no route, and what hosts say to each other unasked is switched off.
 */
@GuestTest(smp = 1)
final class LayerAgreementIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int EXCHANGES = 101;
    private static final int SIZE = 701;
    /** Over IPv4 and IPv6: as many datagrams, and answers over TCP as long as they. */
    private static final int DATAGRAMS = 2 * EXCHANGES;

    private static final long PAYLOAD = (long) DATAGRAMS * SIZE;
    /** Each connection begins by saying how many datagrams there will be. */
    private static final int CONNECTIONS = 2;

    private static final int BEGINNING = 4;
    private static final int ETHERNET_HEADER = 14;
    private static final int UDP_HEADER = 8;
    private static final int IP_HEADERS = EXCHANGES * (20 + 40);

    /** What is sent to be thrown away, by the kinds of {@code unwanted_packets.py}: different primes. */
    private static final Map<String, Integer> UNWANTED = Map.ofEntries(
            Map.entry("no_socket", 101),
            Map.entry("socket_buffer", 61),
            Map.entry("filter", 53),
            Map.entry("netfilter", 47),
            Map.entry("udp_checksum", 43),
            Map.entry("tcp_checksum", 37),
            Map.entry("tcp_flags", 29),
            Map.entry("protocol", 31),
            Map.entry("header", 23),
            Map.entry("congested", 89),
            Map.entry("tun", 97));

    private static final String NOWHERE = """
            udp_send_channel {
              host = 10.9.0.2
              port = 8649
            }
            """;
    /** Two hosts on a link that know each other, and a firewall. */
    private static final String LINK = """
            sysctl -qw net.ipv6.conf.default.disable_ipv6=1
            ip netns add far
            ip netns exec far sysctl -qw net.ipv6.conf.default.disable_ipv6=1
            ip link add near address 02:00:00:00:00:01 type veth peer name far address 02:00:00:00:00:02 netns far
            ip address add 10.9.1.1/24 dev near
            ip -n far address add 10.9.1.2/24 dev far
            ip link set near up
            ip -n far link set far up
            ip neighbour add 10.9.1.2 lladdr 02:00:00:00:00:02 nud permanent dev near
            ip -n far neighbour add 10.9.1.1 lladdr 02:00:00:00:00:01 nud permanent dev far
            modprobe tun
            nft add table inet drops
            nft add chain inet drops in '{ type filter hook input priority 0; }'
            nft add rule inet drops in udp dport 4444 counter drop
            """;

    private static final String CONFIG = GmondConf.CONFIG
            + TeeingMagnetd.config(
                    "4M", "journey", "scheduler", "interrupts", "block", "memory", "syscalls", "processes", "user");
    private static final String EXCHANGE = """
            for where in 'ip netns exec far/10.9.1.2' /::1; do
                ${where%%%%/*} integration-tests/workload/exchange.py answer ${where#*/} 5005 & there=$!
                integration-tests/workload/exchange.py ask ${where#*/} 5005 %d %d || exit
                wait $there || exit
            done
            """.formatted(EXCHANGES, SIZE);

    /** Of protocols, of devices (the loopback one apart), and of the firewall; one "name count" a line. */
    private static final String COUNTERS = """
            for in in '' 'ip netns exec far'; do
                $in awk '$1 != of { of = $1; split($0, names); next }
                    { for (i = 2; i <= NF; i++) print of names[i], $i; of = "" }' /proc/net/snmp
                $in awk '{ print $1, $2 }' /proc/net/snmp6
                $in awk 'NR > 2 { sub(":", " "); of = $1 == "lo" ? "lo" : "link"; print of "RxBytes", $2; print of "RxPackets", $3
                    print of "TxBytes", $10; print of "TxPackets", $11 }' /proc/net/dev
            done
            nft list ruleset | awk '$4 == "counter" { print "firewall", $6 }'
            """;

    /** What devices and a queue say of the unwanted packets, one "name count" a line. */
    private static final String DEVICES = "/tmp/devices";

    private static final String FORMAT = "/sys/kernel/debug/tracing/events/skb/kfree_skb/format";
    /** How the kernel's tracer says what the numbers are called. */
    private static final Pattern REASON = Pattern.compile("\\{ (\\d+), \"(\\w+)\" }");

    private static Optional<Seen> layers = Optional.empty();
    private static Optional<Seen> drops = Optional.empty();

    /** Some work, as bpftrace saw it and by what the kernel's counters grew meanwhile. */
    private record Seen(Witnessed witnessed, Map<String, Long> kernel) {
        long kernel(String... counters) {
            return Stream.of(counters).mapToLong(kernel::get).sum();
        }

        long published(String metric) {
            return witnessed.growth().count("magnet_net_" + metric + "_rate");
        }
    }

    @BeforeAll
    static void sendBeforeWitnesses(Guest guest) {
        KernelModule.load(guest);
        guest.sh(LIMIT, LINK).orFail();
        GmondConf.install(guest, NOWHERE);
        String unwanted = UNWANTED.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(joining(" ", "integration-tests/workload/unwanted_packets.py ", " >" + DEVICES));
        try (TeeingMagnetd magnetd = TeeingMagnetd.startAndAwait(guest, CONFIG)) {
            layers = Optional.of(see(guest, "layers.bt", magnetd, EXCHANGE));
            drops = Optional.of(see(guest, "drops.bt", magnetd, unwanted));
            magnetd.stop();
        }
    }

    private static Seen see(Guest guest, String script, TeeingMagnetd magnetd, String work) {
        Map<String, Long> kernel = new TreeMap<>();
        Witnessed witnessed = Witnessed.by(guest, script, magnetd.windows(), () -> {
            Map<String, Long> before = Counters.read(guest, COUNTERS);
            guest.sh(LIMIT, work).orFail();
            kernel.putAll(Counters.difference(before, Counters.read(guest, COUNTERS)));
        });
        return new Seen(witnessed, kernel);
    }

    @Test
    void shouldLoseNothing() {
        assertThat(drops().witnessed().growth().to().value("magnet_sensor_lost_rate"))
                .isZero();
        assertThat(drops().witnessed().growth().to().value("magnet_sensor_points_failed"))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "socket_send",
                "udp_send",
                "tcp_send",
                "ip_send",
                "ip_send_tcp",
                "device_send",
                "driver_send",
                "device_receive",
                "ip_receive",
                "udp_receive",
                "tcp_receive",
                "udp_queue",
                "socket_receive",
                "tcp_socket_receive"
            })
    void shouldCountPacketsAndBytesOfEachLayerAsBpftraceDoes(String layer) {
        assertThat(layers().witnessed().inner(layer + "_packets")).isGreaterThanOrEqualTo(DATAGRAMS);
        assertThat(layers().witnessed().inner(layer + "_bytes")).isGreaterThanOrEqualTo(PAYLOAD);
        layers().witnessed().assertCount("magnet_net_" + layer + "_packets_rate", layer + "_packets");
        layers().witnessed().assertCount("magnet_net_" + layer + "_bytes_rate", layer + "_bytes");
    }

    /** Of sockets that send it is magnetd's, too, that comes as far as these. */
    @Test
    void shouldCountWhatWasSent() {
        assertThat(layers().published("ip_send_packets")).isEqualTo(DATAGRAMS);
        assertThat(layers().published("ip_send_bytes")).isEqualTo(PAYLOAD + DATAGRAMS * UDP_HEADER + IP_HEADERS);
        assertThat(layers().published("udp_receive_packets")).isEqualTo(DATAGRAMS);
        assertThat(layers().published("udp_receive_bytes")).isEqualTo(PAYLOAD + DATAGRAMS * UDP_HEADER);
        assertThat(layers().published("udp_queue_packets")).isEqualTo(DATAGRAMS);
        assertThat(layers().published("udp_queue_bytes")).isEqualTo(PAYLOAD);
        assertThat(layers().published("socket_receive_packets")).isEqualTo(DATAGRAMS);
        assertThat(layers().published("socket_receive_bytes")).isEqualTo(PAYLOAD);
        assertThat(layers().published("tcp_send_packets")).isEqualTo(DATAGRAMS + CONNECTIONS);
        assertThat(layers().published("tcp_send_bytes")).isEqualTo(PAYLOAD + CONNECTIONS * BEGINNING);
        assertThat(layers().published("tcp_socket_receive_bytes")).isEqualTo(PAYLOAD + CONNECTIONS * BEGINNING);
    }

    /** The answer to the SYN of each connection has no full socket yet. */
    @Test
    void shouldCountPacketsOfProtocolsAsSnmpDoes() {
        assertThat(layers().published("ip_send_packets") + layers().published("ip_send_tcp_packets"))
                .isEqualTo(layers().kernel("Ip:OutRequests", "Ip6OutRequests") - CONNECTIONS);
        assertThat(layers().published("ip_receive_packets"))
                .isEqualTo(layers().kernel("Ip:InDelivers", "Ip6InDelivers"));
        assertThat(layers().published("udp_receive_packets"))
                .isEqualTo(layers().kernel("Udp:InDatagrams", "Udp6InDatagrams"));
        assertThat(layers().published("tcp_receive_packets")).isEqualTo(layers().kernel("Tcp:InSegs"));
    }

    /** The loopback device counts without link headers; others count what they send and get with them. */
    @Test
    void shouldCountPacketsAndBytesOfDevicesAsTheyDo() {
        long sent = layers().kernel("loTxPackets", "linkTxPackets");
        long sentBytes = layers().kernel("loTxBytes", "linkTxBytes") + ETHERNET_HEADER * layers().kernel("loTxPackets");

        assertThat(layers().kernel("linkTxPackets")).isGreaterThan(DATAGRAMS);
        assertThat(layers().published("device_send_packets")).isEqualTo(sent);
        assertThat(layers().published("device_send_bytes")).isEqualTo(sentBytes);
        assertThat(layers().published("driver_send_packets")).isEqualTo(sent);
        assertThat(layers().published("driver_send_bytes")).isEqualTo(sentBytes);
        assertThat(layers().published("device_receive_packets"))
                .isEqualTo(layers().kernel("loRxPackets", "linkRxPackets"));
        assertThat(layers().published("device_receive_bytes"))
                .isEqualTo(layers().kernel("loRxBytes", "linkRxBytes")
                        - ETHERNET_HEADER * layers().kernel("linkRxPackets"));
    }

    @ParameterizedTest
    @CsvSource({
        "no_socket, NO_SOCKET, no_socket",
        "filter, SOCKET_FILTER, filter",
        "netfilter, NETFILTER_DROP, netfilter",
        "checksum, UDP_CSUM TCP_CSUM, udp_checksum tcp_checksum",
        "tcp, TCP_FLAGS, tcp_flags",
        "other, IP_NOPROTO IP_INHDR, protocol header",
    })
    void shouldCountWhatWasThrownAwayByReason(String kind, String reasons, String work, Guest guest) {
        long sent = Stream.of(work.split(" ", -1)).mapToLong(UNWANTED::get).sum();
        Map<String, String> numbers = numbers(guest);

        assertThat(drops().published("drops_" + kind)).isEqualTo(sent);
        assertThat(Stream.of(reasons.split(" ", -1))
                        .mapToLong(reason -> drops().witnessed().inner("reason[" + numbers.get(reason) + "]"))
                        .sum())
                .as("bpftrace")
                .isEqualTo(sent);
    }

    /** Reasons that the machine has at rest, and those of which the work does not know how many there will be. */
    @ParameterizedTest
    @CsvSource({
        "unspecified, NOT_SPECIFIED",
        "socket_buffer, SOCKET_RCVBUFF",
        "queue, FULL_RING QDISC_DROP",
    })
    void shouldCountWhatIsThrownAwayByReasonAsBpftraceDoes(String kind, String reasons, Guest guest) {
        Map<String, String> numbers = numbers(guest);
        List<String> maps = Stream.of(reasons.split(" ", -1))
                .map(reason -> "reason[" + numbers.get(reason) + "]")
                .toList();

        assertThat(drops().published("drops_" + kind))
                .isBetween(
                        maps.stream().mapToLong(drops().witnessed()::inner).sum(),
                        maps.stream().mapToLong(drops().witnessed()::outer).sum());
    }

    @Test
    void shouldCountWhatIsThrownAwayAsTheKernelDoes(Guest guest) {
        drops().witnessed().assertCount("magnet_net_drops_rate", "drops");
        assertThat(drops().kernel("Udp:RcvbufErrors")).isBetween(1L, (long) UNWANTED.get("socket_buffer"));
        assertThat(drops().published("drops_socket_buffer")).isEqualTo(drops().kernel("Udp:RcvbufErrors"));
        assertThat(drops().published("drops_no_socket")).isEqualTo(drops().kernel("Udp:NoPorts"));
        assertThat(drops().published("drops_netfilter")).isEqualTo(drops().kernel("firewall"));
        assertThat(drops().published("drops_checksum"))
                .isEqualTo(drops().kernel("Udp:InCsumErrors", "Tcp:InCsumErrors"));
        assertThat(drops().published("drops_other")).isEqualTo(drops().kernel("Ip:InHdrErrors", "Ip:InUnknownProtos"));
        assertThat(drops().published("drops_queue")).isEqualTo(devices(guest, "refused") + devices(guest, "dropped"));
    }

    /** A tun device takes as many packets as its program may leave there. */
    @Test
    void shouldCountWhatADriverRefusesAsItDoes(Guest guest) {
        long refused = devices(guest, "refused");

        assertThat(refused).isBetween(1L, (long) UNWANTED.get("tun"));
        assertThat(drops().witnessed().inner("refused")).isEqualTo(refused);
        assertThat(drops().published("driver_refusals")).isEqualTo(refused);
    }

    /** It took them all, whatever became of them in the queue below. */
    @Test
    void shouldNotCountAsRefusedWhatAVlanTookWithAWarning(Guest guest) {
        assertThat(drops().witnessed().inner("congested")).isPositive().isEqualTo(devices(guest, "dropped"));
        assertThat(devices(guest, "sent")).isEqualTo((long) UNWANTED.get("congested"));
    }

    private static long devices(Guest guest, String name) {
        return Counters.read(guest, "cat " + DEVICES).get(name);
    }

    /** The kernel's numbers, by what it calls them. */
    private static Map<String, String> numbers(Guest guest) {
        return REASON.matcher(guest.read(FORMAT))
                .results()
                .collect(Collectors.toMap(found -> found.group(2), found -> found.group(1)));
    }

    private static Seen layers() {
        return layers.orElseThrow();
    }

    private static Seen drops() {
        return drops.orElseThrow();
    }
}
