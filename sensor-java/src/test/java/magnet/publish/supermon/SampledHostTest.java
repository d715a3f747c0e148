// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SampledHostTest {
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
        List<SampledHost.Device> devices = List.of(
                new SampledHost.Device(4, () -> true, List.of(BRIDGE)),
                new SampledHost.Device(3, () -> true, List.of(IPV6, WIRE)),
                new SampledHost.Device(2, () -> false, List.of(address("192.0.2.1"))),
                new SampledHost.Device(1, () -> true, List.of(LOOPBACK)));

        assertThat(SampledHost.littleEndian(SampledHost.firstAddress(devices))).isEqualTo(0x104000a);
    }

    @Test
    void shouldPassOverADeviceThatCannotBeAsked() {
        List<SampledHost.Device> devices = List.of(
                new SampledHost.Device(3, () -> true, List.of(WIRE)),
                new SampledHost.Device(
                        2,
                        () -> {
                            throw new SocketException("No such device");
                        },
                        List.of(BRIDGE)));

        assertThat(SampledHost.littleEndian(SampledHost.firstAddress(devices))).isEqualTo(0x104000a);
    }

    @Test
    void shouldBeTheLoopbackWhereThereIsNoOther() {
        List<SampledHost.Device> devices = List.of(
                new SampledHost.Device(2, () -> true, List.of(IPV6)),
                new SampledHost.Device(1, () -> true, List.of(LOOPBACK)));

        assertThat(SampledHost.littleEndian(SampledHost.firstAddress(devices))).isEqualTo(0x100007f);
    }

    @Test
    void shouldKnowThisMachine() throws IOException {
        assertThat(SampledHost.machine().name()).isNotBlank();
        assertThat(SampledHost.machine().address()).isNotZero();
    }
}
