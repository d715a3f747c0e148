// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class UdpChannelTest {
    private static final String GROUP = "239.255.77.77";

    private final AtomicLong nowNanos = new AtomicLong();

    @Test
    void shouldDeliverWhenSomebodyListens() throws IOException {
        try (FakeGmond gmond = new FakeGmond();
                UdpChannel channel = open(gmond.channel())) {
            ByteBuffer packet = packet("one");
            channel.send(packet);
            channel.send(packet);
            assertThat(text(gmond)).isEqualTo("one");
            assertThat(text(gmond)).isEqualTo("one");
            assertThat(channel.errors()).isZero();
        }
    }

    @Test
    void shouldSendFromTheBoundAddressWhenBindIsGiven() throws IOException {
        try (FakeGmond gmond = new FakeGmond();
                UdpChannel channel = open(new SendChannel(
                        "127.0.0.1", gmond.port(), false, Optional.empty(), 1, Optional.of("127.0.0.2"), false))) {
            channel.send(packet("bound"));
            assertThat(Objects.requireNonNull(gmond.receive(5_000)).getAddress().getHostAddress())
                    .isEqualTo("127.0.0.2");
        }
    }

    @Test
    void shouldLoseNothingWhenTheListenerComesBack() throws IOException {
        int port;
        try (FakeGmond gmond = new FakeGmond()) {
            port = gmond.port();
        }
        try (UdpChannel channel = open(TestChannels.unicast("127.0.0.1", port))) {
            for (int i = 0; i < 10; i++) {
                channel.send(packet("nobody"));
            }
            assertThat(channel.errors()).isPositive();
            try (FakeGmond gmond = new FakeGmond(port)) {
                for (int i = 0; i < 5; i++) {
                    channel.send(packet("back " + i));
                }
                for (int i = 0; i < 5; i++) {
                    assertThat(text(gmond)).isEqualTo("back " + i);
                }
            }
        }
    }

    @Test
    void shouldTryAgainLaterWhenTheNameHasNoAddress() {
        try (UdpChannel channel =
                new UdpChannel(TestChannels.unicast("no.such.host.invalid", 1), "node1", nowNanos::get)) {
            assertThat(channel.prepare()).isFalse();
            assertThat(channel.errors()).isEqualTo(1);
            channel.send(packet("dropped"));
            assertThat(channel.prepare()).isFalse();
            nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
            assertThat(channel.prepare()).isFalse();
            assertThat(channel.errors()).isEqualTo(4);
        }
    }

    @Test
    void shouldCountWhenTheDeviceIsMissing() {
        try (UdpChannel channel =
                new UdpChannel(TestChannels.multicast(GROUP, 8649, "nosuchdevice0", 1), "node1", nowNanos::get)) {
            assertThat(channel.prepare()).isFalse();
            assertThat(channel.errors()).isEqualTo(1);
        }
    }

    @Test
    void shouldReachTheGroupWhenMulticastGoesOutOnADevice() throws IOException {
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        try (MulticastSocket socket = new MulticastSocket(0)) {
            socket.joinGroup(new InetSocketAddress(InetAddress.getByName(GROUP), 0), loopback);
            FakeGmond gmond = new FakeGmond(socket);
            try (UdpChannel channel = open(TestChannels.multicast(GROUP, gmond.port(), loopback.getName(), 0))) {
                channel.send(packet("group"));
                assertThat(text(gmond)).isEqualTo("group");
            }
        }
    }

    @Test
    void shouldOpenAnewWhenNobodyListenedForLong() throws IOException {
        int port;
        try (FakeGmond gmond = new FakeGmond()) {
            port = gmond.port();
        }
        try (UdpChannel channel = open(TestChannels.unicast("127.0.0.1", port))) {
            for (int i = 0; i < 10; i++) {
                channel.send(packet("nobody"));
            }
            nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(61));
            assertThat(channel.prepare()).isTrue();
            try (FakeGmond gmond = new FakeGmond(port)) {
                channel.send(packet("again"));
                assertThat(text(gmond)).isEqualTo("again");
            }
        }
    }

    private UdpChannel open(SendChannel channel) {
        UdpChannel open = new UdpChannel(channel, "node1", nowNanos::get);
        assertThat(open.prepare()).isTrue();
        return open;
    }

    private static ByteBuffer packet(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String text(FakeGmond gmond) throws IOException {
        DatagramPacket packet = Objects.requireNonNull(gmond.receive(5_000));
        return new String(packet.getData(), 0, packet.getLength(), StandardCharsets.US_ASCII);
    }
}
