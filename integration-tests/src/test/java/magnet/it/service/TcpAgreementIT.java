// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What magnetd publishes of TCP is what {@code ss -ti} tells of the one connection that there is, over a link that
 * loses packets: large ones, of many segments, as they are before a device cuts them up.
 */
@GuestTest(smp = 1)
final class TcpAgreementIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final long BYTES = 4 << 20;

    private static final String CONFIG = TeeingMagnetd.config("16M", "scheduler", "syscalls", "memory", "interrupts");

    private static final String LINK = """
            ip netns add peer
            ip link add mg0 type veth peer name mg1 netns peer
            ip address add 10.9.0.1/24 dev mg0
            ip link set mg0 up
            ip -n peer address add 10.9.0.2/24 dev mg1
            ip -n peer link set mg1 up
            tc qdisc add dev mg0 root netem loss 5%
            """;
    /** The connection ends when nothing is lost any more: then ss and the kernel's counters have seen the same. */
    private static final String SEND = """
            ip netns exec peer python3 -c '
            import socket
            connection, _ = socket.create_server(("", 7000)).accept()
            while connection.recv(65536):
                pass
            ' & receiver=$!
            until ip netns exec peer ss -ltn | grep -q :7000; do sleep 0.2; done
            exec 3<>/dev/tcp/10.9.0.2/7000
            head -c %1$d /dev/zero >&3
            until ss -tinH dst 10.9.0.2 | grep -q bytes_acked:$((%1$d + 1)); do sleep 0.2; done
            until ip netns exec peer ss -tnH dst 10.9.0.1 | grep -q 'ESTAB *0 '; do sleep 0.2; done
            ss -tinH dst 10.9.0.2 | tail -n 1
            ip netns exec peer ss -tinH dst 10.9.0.1 | tail -n 1
            tc qdisc del dev mg0 root
            exec 3>&-
            wait $receiver
            awk '/^Tcp: [0-9]/ { print "snmp:" $13 }' /proc/net/snmp
            """;

    private static Growth growth = new Growth(TeeWindow.EMPTY, TeeWindow.EMPTY);
    /** What ss says of the sender and of the receiver, and the kernel's counter. */
    private static List<String> said = List.of();

    @BeforeAll
    static void sendOverALinkThatLoses(Guest guest) {
        KernelModule.load(guest);
        guest.sh(LIMIT, LINK).orFail();
        try (TeeingMagnetd magnetd = TeeingMagnetd.startAndAwait(guest, CONFIG)) {
            TeeWindow from = TeeWindow.next(guest, magnetd.windows());
            said = guest.sh(LIMIT, SEND.formatted(BYTES))
                    .orFail()
                    .stdout()
                    .lines()
                    .toList();
            growth = new Growth(from, TeeWindow.next(guest, magnetd.windows()));
            magnetd.stop();
        }
        assertThat(growth.to().fromByte()).as("the window still grew").isZero();
    }

    @Test
    void shouldLoseNothing() {
        assertThat(growth.count("magnet_sensor_lost_rate")).isZero();
    }

    @Test
    void shouldCountRetransmittedSegmentsAsSsDoes() {
        long segments = number(0, "retrans:0/(\\d+)");

        assertThat(segments).as("the link loses some").isPositive();
        assertThat(number(2, "snmp:(\\d+)")).as("nobody else's").isEqualTo(segments);
        assertThat(growth.count("magnet_net_tcp_retransmits_rate")).isEqualTo(segments);
    }

    @Test
    void shouldCountBytesAsSsDoes() {
        assertThat(number(0, "bytes_sent:(\\d+)") - number(0, "bytes_retrans:(\\d+)"))
                .isEqualTo(BYTES);
        assertThat(number(1, "bytes_received:(\\d+)")).isEqualTo(BYTES);
        assertThat(growth.count("magnet_net_tcp_send_bytes_rate")).isEqualTo(BYTES);
        assertThat(growth.count("magnet_net_tcp_socket_receive_bytes_rate")).isEqualTo(BYTES);
    }

    private static long number(int line, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(said.get(line));
        assertThat(matcher.find()).as("%s in %s", pattern, said.get(line)).isTrue();
        return Long.parseLong(matcher.group(1));
    }
}
