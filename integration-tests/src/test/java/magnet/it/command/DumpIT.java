// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * "magnet dump" beside tcpdump, which captures the same packets, reads magnet's files, and applies its own expressions; and
 * tshark, which reads both. One processor, so that there is one order.
 */
@GuestTest(smp = 1)
final class DumpIT {
    private static final String DUMP = "sensor-java/bin/magnet dump ";
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int EXCHANGES = 23;
    private static final int SIZE = 701;
    private static final int CLOSED_PORT = 7;
    private static final int UNWANTED = 5;
    private static final int BURST = 24_000;
    private static final int NOW_AND_THEN = 12;

    /** Two hosts on a link, which find each other by ARP and its like. */
    private static final String LINK = """
            ip link set lo up
            sysctl -qw net.ipv6.conf.default.router_solicitations=0
            ip netns add far
            ip netns exec far sysctl -qw net.ipv6.conf.default.router_solicitations=0
            ip link add near type veth peer name far netns far
            ip address add 10.9.1.1/24 dev near
            ip address add fd09::1/64 dev near nodad
            ip -n far address add 10.9.1.2/24 dev far
            ip -n far address add fd09::2/64 dev far nodad
            ip link set near up
            ip -n far link set far up
            ip -n far link set lo up
            """;

    /** UDP and TCP over the loopback and the link, of both families, and datagrams that nobody wants: ICMP tells so. */
    private static final String WORK = """
            for where in 'ip netns exec far/10.9.1.2' 'ip netns exec far/fd09::2' /127.0.0.1 /::1; do
                ${where%%%%/*} integration-tests/workload/exchange.py answer ${where#*/} 5005 & there=$!
                integration-tests/workload/exchange.py ask ${where#*/} 5005 %1$d %2$d || exit
                wait $there || exit
            done
            python3 -c '
            import socket
            for family, host in (socket.AF_INET, "10.9.1.2"), (socket.AF_INET6, "fd09::2"), (socket.AF_INET, "127.0.0.1"):
                for i in range(%3$d):
                    socket.socket(family, socket.SOCK_DGRAM).sendto(bytes(i), (host, %4$d))
            '
            """.formatted(EXCHANGES, SIZE, UNWANTED, CLOSED_PORT);

    private static final Pattern END = Pattern.compile(
            "magnet: (\\d+) packets? captured, (\\d+) dropped; of \\d+ hits? (none|\\d+) w(?:as|ere) lost");

    private static final String DISSECTED =
            " -T fields -E separator='|' -e ip.src -e ip.dst -e ip.id -e ipv6.src -e ipv6.dst -e arp.opcode -e"
                    + " arp.dst.proto_ipv4 -e icmp.type -e icmpv6.type -e udp.srcport -e udp.dstport -e udp.length -e"
                    + " udp.checksum -e tcp.srcport -e tcp.dstport -e tcp.seq_raw -e tcp.ack_raw -e tcp.flags -e tcp.len"
                    + " -e data.data -e _ws.malformed";

    private final Guest guest;
    private final List<GuestProcess> started = new ArrayList<>();

    DumpIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void load() {
        KernelModule.load(guest);
        guest.sh(LIMIT, "ip netns list | grep -q far || { " + LINK + "}").orFail();
    }

    @AfterEach
    void unload() {
        started.stream().filter(GuestProcess::isAlive).forEach(GuestProcess::kill);
        KernelModule.remove(guest);
    }

    private GuestProcess start(String command, String ready) {
        GuestProcess process = guest.start("env", "--default-signal=INT", "bash", "-c", "exec " + command + " 2>&1");
        started.add(process);
        process.awaitOutput(ready, LIMIT);
        return process;
    }

    private GuestProcess dump(String arguments) {
        return start(DUMP + arguments, "capturing packets of");
    }

    private GuestProcess tcpdump(String where, String arguments) {
        return start("tcpdump -Z root -n " + where + " " + arguments, "listening on");
    }

    private static GuestResult interrupt(GuestProcess command) {
        command.signal("INT");
        return command.waitFor(LIMIT).orFail();
    }

    /** As tcpdump understands a file: interface, direction, headers and each byte; records do not tell broadcasts. */
    private List<String> read(String file, String expression) {
        return guest.sh(
                        LIMIT,
                        "tcpdump -Z root -r " + file + " -n -t -x " + expression
                                + " 2>/tmp/errors | sed 's/ [BM]  *IP/ In IP/;" + " s/ [BM]  *ARP/ In ARP/'")
                .orFail()
                .stdout()
                .replace("\n\t", " ")
                .lines()
                .map(line -> line.replaceAll("\\s+", " "))
                .toList();
    }

    /** As tshark understands a file: what it dissects of each packet, and last whether it takes it for malformed. */
    private List<String> dissect(String file) {
        return guest.sh(LIMIT, "tshark -n -r " + file + DISSECTED + " 2>/tmp/errors")
                .orFail()
                .stdout()
                .lines()
                .toList();
    }

    private static long captured(GuestResult result) {
        Matcher end = END.matcher(result.stdout());
        assertThat(end.find()).as(result.toString()).isTrue();
        assertThat(end.group(2)).as(result.toString()).isEqualTo("0");
        assertThat(end.group(3)).as(result.toString()).isEqualTo("none");
        return Long.parseLong(end.group(1));
    }

    @Test
    void shouldWriteTheSamePacketsAsTcpdump() {
        writesTheSameAsTcpdump(List.of(
                "'udp port 5005'",
                "'icmp or (icmp6 and net fd09::/64)'",
                "'net 10.9.1.0/24 and (udp or arp) and outbound'"));
    }

    @Tag("long")
    @Test
    void shouldWriteTheSamePacketsAsTcpdumpByOtherExpressions() {
        writesTheSameAsTcpdump(List.of(
                "'udp port 5005'",
                "'tcp and src host 10.9.1.2'",
                "'ip6 and not tcp'",
                "'host 10.9.1.1 and not port 5005'"));
    }

    /** @param expressions the first is for what the workload sends to port 5005 */
    private void writesTheSameAsTcpdump(List<String> expressions) {
        GuestProcess tcpdump = tcpdump("-i any -y LINUX_SLL2", "-s 4096 -B 65536 -w /tmp/tcpdump.pcap");
        GuestProcess dump = dump("-w /tmp/all.pcapng");
        List<GuestProcess> chosen = new ArrayList<>();
        for (int i = 0; i < expressions.size(); i++) {
            chosen.add(dump("-w /tmp/" + i + ".pcapng " + expressions.get(i)));
        }
        guest.sh(LIMIT, WORK).orFail();
        guest.sh("sleep 1").orFail();
        long captured = captured(interrupt(dump));
        List<Long> counts =
                chosen.stream().map(each -> captured(interrupt(each))).toList();
        interrupt(tcpdump);

        List<String> packets = read("/tmp/all.pcapng", "");
        assertThat(packets).hasSize((int) captured);
        assertThat(read("/tmp/tcpdump.pcap", ""))
                .as("in their order, and no other between them")
                .containsSequence(packets);
        List<String> dissected = dissect("/tmp/all.pcapng");
        assertThat(dissected)
                .hasSize((int) captured)
                .allSatisfy(packet -> assertThat(packet).endsWith("|"));
        assertThat(dissect("/tmp/tcpdump.pcap")).as("tshark").containsSequence(dissected);
        for (int i = 0; i < expressions.size(); i++) {
            List<String> some = read("/tmp/" + i + ".pcapng", "");
            assertThat(some)
                    .as(expressions.get(i))
                    .isNotEmpty()
                    .hasSize(counts.get(i).intValue());
            assertThat(read("/tmp/tcpdump.pcap", expressions.get(i)))
                    .as(expressions.get(i))
                    .containsSequence(some);
        }
        assertThat(counts.get(0))
                .as("the loopback's once, those of the link when they go out")
                .isEqualTo(4L * EXCHANGES);
    }

    /** The journey of a datagram over the loopback: from one program's call to the other's. */
    @Test
    void shouldTellJourneys() {
        GuestProcess dump = dump("-i lo -c " + EXCHANGES + " udp and host 127.0.0.1 and port 5005");
        guest.sh(LIMIT, WORK).orFail();
        List<String> lines = dump.waitFor(LIMIT).orFail().stdout().lines().toList();

        List<String> journeys =
                lines.stream().filter(line -> line.startsWith("    tsc=")).toList();
        assertThat(journeys)
                .hasSize(EXCHANGES)
                .allSatisfy(journey -> assertThat(journey.replaceAll("\\[cpu=0 thread=\\d+\\([^)]*\\)] ", ""))
                        .matches("    tsc=\\d+ cpu=0 thread=\\d+\\([^)]+\\): inet_sendmsg \\+0, udp_sendmsg"
                                + " \\+\\d+, ip_send_skb \\+\\d+, dev_queue_xmit \\+\\d+, net_dev_receive"
                                + " \\+\\d+, netif_receive_skb \\+\\d+, ip_local_deliver \\+\\d+, udp_rcv"
                                + " \\+\\d+, udp_enqueue \\+\\d+, skb_consume_udp \\+\\d+"));
        assertThat(journeys).anyMatch(journey -> journey.contains("thread=") && journey.contains("(exchange.py)"));
        assertThat(lines)
                .anyMatch(line -> line.matches(
                        "[0-9:.]{18} lo In IP 127\\.0\\.0\\.1\\.\\d+ > 127\\.0\\.0\\.1\\.5005: UDP, length " + SIZE));
        assertThat(lines.get(lines.size() - 1)).startsWith("magnet: " + EXCHANGES + " packets captured, 0 dropped");
    }

    @Test
    @Tag("long")
    void shouldKeepAsManyBytesAsAreWanted() {
        GuestProcess dump = dump("-s 60 -w /tmp/short.pcapng udp port 5005");
        guest.sh(LIMIT, WORK).orFail();
        long captured = captured(interrupt(dump));

        List<String> packets = read("/tmp/short.pcapng", "'udp[4:2] = " + (SIZE + 8) + " or ip6'");
        assertThat(packets)
                .hasSize((int) captured)
                .allSatisfy(packet -> assertThat(packet.replaceFirst("^.* 0x0000:", "0x0000:")
                                .replaceAll("0x\\d{4}: ", " ")
                                .replace(" ", ""))
                        .hasSize(2 * 60));
    }

    /**
     * Both have the same memory in the kernel, keep the same bytes of the same datagrams, and do not run while these are sent:
     * now and then one, so that tcpdump's four blocks are closed with little in them, by the kernel's timer after a second.
     */
    @Test
    @Tag("long")
    void shouldLoseNothingWhereTcpdumpDoes() {
        Losses losses = heldUp("1024", "1M", NOW_AND_THEN, 1.5);

        assertThat(losses.captured()).isEqualTo(NOW_AND_THEN);
        assertThat(losses.dropped()).isZero();
        assertThat(losses.droppedByTcpdump()).isPositive();
    }

    /** A burst that has no room in the memory of either. */
    @Test
    void shouldCountWhatIsLost() {
        Losses losses = heldUp("4096", "4M", BURST, 0);

        assertThat(losses.dropped()).isPositive();
        assertThat(losses.captured() + losses.dropped()).isEqualTo(BURST);
        assertThat(losses.droppedByTcpdump()).isPositive();
    }

    private record Losses(long captured, long dropped, long droppedByTcpdump) {}

    /** Sends so many datagrams, so many seconds apart, while neither reads; what tcpdump says must add up. */
    private Losses heldUp(String tcpdumpKib, String buffer, int datagrams, double seconds) {
        guest.sh("rm -f /tmp/held.pcapng").orFail();
        GuestProcess tcpdump = tcpdump("-i near", "-s 114 -B " + tcpdumpKib + " -w /tmp/lossy.pcap udp port 5006");
        GuestProcess dump =
                dump("-i near --no-journey -s 100 -B " + buffer + " -w /tmp/held.pcapng udp port 5006 and outbound");
        List<GuestProcess> both = List.of(tcpdump, dump);
        both.forEach(each -> each.signal("STOP"));
        guest.sh(LIMIT, """
                exec python3 -c '
                import socket, time
                out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                for i in range(%d):
                    out.sendto(bytes(1400), ("10.9.1.2", 5006))
                    time.sleep(%s)
                '
                """.formatted(datagrams, seconds)).orFail();
        both.forEach(each -> each.signal("CONT"));
        guest.sh("sleep 1").orFail();
        GuestResult lossy = interrupt(tcpdump);
        GuestResult result = interrupt(dump);

        long droppedByTcpdump = number("(\\d+) packets? dropped by kernel", lossy);
        assertThat(number("(\\d+) packets? captured", lossy) + droppedByTcpdump).isEqualTo(datagrams);
        Losses losses = new Losses(
                number("(\\d+) packets captured", result), number(" (\\d+) dropped", result), droppedByTcpdump);
        assertThat(read("/tmp/held.pcapng", "")).hasSize((int) losses.captured());
        return losses;
    }

    private static long number(String pattern, GuestResult result) {
        Matcher matcher = Pattern.compile(pattern).matcher(result.stdout());
        assertThat(matcher.find()).as(result.toString()).isTrue();
        return Long.parseLong(matcher.group(1));
    }

    @Test
    @Tag("long")
    void shouldSayInOneLineWhatIsWrong() {
        GuestResult result = guest.sh(LIMIT, DUMP + "-i nosuch");
        assertThat(result.exitCode()).isBetween(1, 2);
        assertThat(result.stderr().lines())
                .singleElement()
                .asString()
                .startsWith("magnet: there is no interface nosuch; there are ");
        GuestResult nobody = guest.sh(LIMIT, "setpriv --reuid=65534 --regid=65534 --clear-groups " + DUMP + "-c 1");
        assertThat(nobody.exitCode()).isEqualTo(1);
        assertThat(nobody.stderr().lines())
                .singleElement()
                .asString()
                .endsWith("run it as root or give it CAP_PERFMON");
    }

    @Test
    @Tag("long")
    void shouldLeaveAFileThatCanBeReadWhenTheDiskIsFull() {
        guest.sh("mkdir -p /tmp/small && mount -t tmpfs -o size=64k none /tmp/small")
                .orFail();
        GuestProcess dump = dump("-w /tmp/small/full.pcapng udp");
        guest.sh(LIMIT, WORK).orFail();
        GuestResult result = dump.waitFor(LIMIT);

        assertThat(result.exitCode()).isEqualTo(1);
        Matcher written = Pattern.compile(
                        "; at least (\\d+) packets were not written; the (\\d+) before stay and can be read")
                .matcher(result.stdout());
        assertThat(written.find()).as(result.toString()).isTrue();
        assertThat(read("/tmp/small/full.pcapng", "")).hasSize(Integer.parseInt(written.group(2)));
        guest.sh("umount /tmp/small").orFail();
    }
}
