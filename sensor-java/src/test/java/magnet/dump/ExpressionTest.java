// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What expressions are true of, by pcap-filter(7). */
final class ExpressionTest {
    private static final int A = 0x0a000001;
    private static final int B = 0x0a000002;

    private final PacketFacts facts = new PacketFacts().event(true, 3, 40, 41);

    private boolean matches(String expression, int ethertype, byte[] packet) throws ExpressionException {
        assertThat(facts.read(ethertype, ByteBuffer.wrap(packet), 0, packet.length))
                .isTrue();
        return ExpressionParser.parse(expression).matches(facts);
    }

    @ParameterizedTest
    @CsvSource({
        "'', true",
        "ip, true",
        "ip6, false",
        "udp, true",
        "tcp, false",
        "not tcp, true",
        "! tcp, true",
        "!tcp, true",
        "host 10.0.0.1, true",
        "10.0.0.1, true",
        "host 10.0.0.3, false",
        "src host 10.0.0.1, true",
        "dst host 10.0.0.1, false",
        "src 10.0.0.1 and dst 10.0.0.2, true",
        "src and dst host 10.0.0.1, false",
        "src or dst host 10.0.0.1, true",
        "ip host 10.0.0.2, true",
        "arp host 10.0.0.2, false",
        "net 10.0.0.0/8, true",
        "net 10, true",
        "net 10.0.0, true",
        "net 11, false",
        "src net 10.0.0.0 mask 255.255.255.0, true",
        "port 53, true",
        "src port 53, false",
        "udp dst port 53, true",
        "tcp port 53, false",
        "portrange 50-60, true",
        "portrange 54-60, false",
        "port 80 or 53, true",
        "port (80 or 443), false",
        "src host 10.0.0.2 or 10.0.0.1, true",
        "proto 17, true",
        "proto udp, true",
        "ip proto \\udp, true",
        "ip6 proto udp, false",
        "outbound, true",
        "inbound, false",
        "cpu 3, true",
        "cpu 4, false",
        "pid 40 and tid 41, true",
        "tid 40, false",
        "icmp or udp and tcp, false",
        "tcp and icmp or udp, true",
        "udp or (tcp and icmp), true",
        "not (udp and port 53), false",
        "udp && port 53 || tcp, true",
        "(((udp))), true"
    })
    void shouldBeTrueOfADatagramAsTcpdumpHasIt(String expression, boolean wanted) throws ExpressionException {
        assertThat(matches(expression, Ethertype.IPV4, PacketRecords.udp(A, B, 4_000, 53, 29)))
                .isEqualTo(wanted);
    }

    @Test
    void shouldLookIntoArp() throws ExpressionException {
        byte[] arp = PacketRecords.arp(true, A, B);
        assertThat(matches("host 10.0.0.1", Ethertype.ARP, arp)).isTrue();
        assertThat(matches("src host 10.0.0.2", Ethertype.ARP, arp)).isFalse();
        assertThat(matches("dst host 10.0.0.2 and arp", Ethertype.ARP, arp)).isTrue();
        assertThat(matches("net 10.0.0.0/30", Ethertype.ARP, arp)).isTrue();
        assertThat(matches("ip host 10.0.0.1 or ip or udp", Ethertype.ARP, arp)).isFalse();
    }

    @Test
    void shouldFindIpv6() throws ExpressionException {
        byte[] packet = PacketRecords.bytes(
                PacketRecords.ipv6(1, 2, 6, 20).putShort((short) 80).putShort((short) 9));
        assertThat(matches("ip6 and tcp src port 80", Ethertype.IPV6, packet)).isTrue();
        assertThat(matches("src host fd00::1", Ethertype.IPV6, packet)).isTrue();
        assertThat(matches("net fd00::/8", Ethertype.IPV6, packet)).isTrue();
        assertThat(matches("ip6 host fd00::2", Ethertype.IPV6, packet)).isTrue();
        assertThat(matches("icmp6", Ethertype.IPV6, PacketRecords.bytes(PacketRecords.ipv6(1, 2, 58, 8))))
                .isTrue();
        assertThat(matches("icmp", Ethertype.IPV6, PacketRecords.bytes(PacketRecords.ipv6(1, 2, 1, 8))))
                .isFalse();
    }

    @Test
    void shouldFindNoPortsInFurtherFragments() throws ExpressionException {
        byte[] fragment = PacketRecords.bytes(PacketRecords.ipv4(A, B, 17, 100, 8));
        assertThat(matches("port 0", Ethertype.IPV4, fragment)).isFalse();
        assertThat(matches("udp", Ethertype.IPV4, fragment)).isTrue();
        assertThat(matches("not port 0", Ethertype.IPV4, fragment)).isTrue();
        assertThat(matches("port 0", Ethertype.IPV4, PacketRecords.udp(A, B, 0, 1, 0)))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "prt 80, '''>>>prt<<< 80'': this is no test'",
        "tcp and, '''tcp and>>><<<'': a test is wanted here'",
        "tcp udp, '''tcp >>>udp<<<'': ''and'' or ''or'' is wanted here'",
        "(tcp, '''(tcp>>><<<'': '')'' is wanted here'",
        "tcp), '''tcp>>>)<<<'': no ''('' belongs to this'",
        "port http, '''port >>>http<<<'': a number is wanted here'",
        "port 65536, '''port >>>65536<<<'': a number is wanted here'",
        "host example.org, '''host >>>example.org<<<'': an address is wanted here'",
        "host 10.0.0.256, '''host >>>10.0.0.256<<<'': an address is wanted here'",
        "host 10.0.0.0/8, '''host >>>10.0.0.0/8<<<'': an address is wanted here; of networks'",
        "net 10.0.0.1/8, '''net >>>10.0.0.1/8<<<'': a network is wanted here'",
        "net 10.0.0.0/33, '''net >>>10.0.0.0/33<<<'': a network is wanted here'",
        "net 10.0.0.0 mask 255.0.255.0, '''net 10.0.0.0 mask >>>255.0.255.0<<<'': a mask is wanted here'",
        "ip6 host 10.0.0.1, '''ip6 host >>>10.0.0.1<<<'': ''ip6'' does not go with an address of IPv4'",
        "ip port 80, '''>>>ip<<< port 80'': ''ip'' does not go with ''port'''",
        "src proto 6, '''>>>src<<< proto 6'': ''proto'' has no source'",
        "portrange 9-8, '''portrange >>>9-8<<<'': two ports are wanted here'",
        "cpu x, '''cpu >>>x<<<'': a number is wanted here'",
        "src, '''src>>><<<'': an address is wanted here'",
        "tcp & udp, '''tcp >>>&<<< udp'': ''and'' or ''or'' is wanted here'",
        "greater 100, '''>>>greater<<< 100'': this is no test'",
    })
    void shouldMarkWhatIsWrong(String expression, String marked) {
        assertThatThrownBy(() -> ExpressionParser.parse(expression))
                .isInstanceOf(ExpressionException.class)
                .message()
                .startsWith("expression " + marked)
                .endsWith(ExpressionParser.POSSIBLE);
    }

    @Test
    void shouldRefuseWhatIsTooMuch() {
        assertThatThrownBy(() -> ExpressionParser.parse("not ".repeat(100) + "ip"))
                .hasMessageContaining("more than 64 of 'not' and '('");
        assertThatThrownBy(() -> ExpressionParser.parse("ip or ".repeat(300) + "ip"))
                .hasMessageContaining("more than 256 tests");
    }
}
