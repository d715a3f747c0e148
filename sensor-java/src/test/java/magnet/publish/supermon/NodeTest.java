// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NodeTest {
    private static final InetAddress IPV6 = address("fd00::1");
    private static final InetAddress LOOPBACK = address("127.0.0.1");
    private static final InetAddress WIRE = address("10.0.4.1");
    private static final InetAddress BRIDGE = address("172.17.0.1");

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** Java lists the last one first. */
    @Test
    void shouldTakeTheFirstDeviceThatIsUp() {
        List<Node.Device> devices = List.of(
                new Node.Device(4, () -> true, List.of(BRIDGE)),
                new Node.Device(3, () -> true, List.of(IPV6, WIRE)),
                new Node.Device(2, () -> false, List.of(address("192.0.2.1"))),
                new Node.Device(1, () -> true, List.of(LOOPBACK)));

        assertThat(Node.littleEndian(Node.firstAddress(devices))).isEqualTo(0x104000a);
    }

    @Test
    void shouldPassOverADeviceThatCannotBeAsked() {
        List<Node.Device> devices = List.of(
                new Node.Device(3, () -> true, List.of(WIRE)),
                new Node.Device(
                        2,
                        () -> {
                            throw new SocketException("No such device");
                        },
                        List.of(BRIDGE)));

        assertThat(Node.littleEndian(Node.firstAddress(devices))).isEqualTo(0x104000a);
    }

    @Test
    void shouldBeTheLoopbackWhereThereIsNoOther() {
        List<Node.Device> devices = List.of(
                new Node.Device(2, () -> true, List.of(IPV6)), new Node.Device(1, () -> true, List.of(LOOPBACK)));

        assertThat(Node.littleEndian(Node.firstAddress(devices))).isEqualTo(0x100007f);
    }

    @Test
    void shouldKnowThisMachine() throws IOException {
        assertThat(Node.machine().name()).isNotBlank();
        assertThat(Node.machine().address()).isNotZero();
    }
}
