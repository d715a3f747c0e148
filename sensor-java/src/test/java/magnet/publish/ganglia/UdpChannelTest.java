// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import magnet.publish.LogLines;
import org.awaitility.Awaitility;
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

    /** At the end of the service, where a publication takes longer than the end waits. */
    @Test
    void shouldCountAndSayNothingWhenItsThreadIsInterrupted() throws IOException {
        try (LogLines log = new LogLines(UdpChannel.class);
                FakeGmond gmond = new FakeGmond();
                UdpChannel channel = open(gmond.channel())) {
            Thread.currentThread().interrupt();
            channel.send(packet("late"));
            assertThat(Thread.interrupted()).as("kept for the caller").isTrue();
            assertThat(channel.errors()).isEqualTo(1);
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void shouldTryAgainLaterWhenTheNameHasNoAddress() {
        try (UdpChannel channel =
                new UdpChannel(TestChannels.unicast("no.such.host.invalid", 1), "node1", nowNanos::get)) {
            assertThat(ready(channel)).isFalse();
            assertThat(channel.errors()).isEqualTo(1);
            channel.send(packet("dropped"));
            assertThat(ready(channel)).isFalse();
            nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
            assertThat(ready(channel)).isFalse();
            assertThat(channel.errors()).isEqualTo(4);
        }
    }

    @Test
    void shouldCountWhenTheDeviceIsMissing() {
        try (UdpChannel channel =
                new UdpChannel(TestChannels.multicast(GROUP, 8649, "nosuchdevice0", 1), "node1", nowNanos::get)) {
            assertThat(ready(channel)).isFalse();
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
            assertThat(ready(channel)).isTrue();
            try (FakeGmond gmond = new FakeGmond(port)) {
                channel.send(packet("again"));
                assertThat(text(gmond)).isEqualTo("again");
            }
        }
    }

    @Test
    void shouldTakeTwoLinesWhenNobodyListensForMinutes() throws IOException {
        int port;
        try (FakeGmond gmond = new FakeGmond()) {
            port = gmond.port();
        }
        try (LogLines log = new LogLines(UdpChannel.class);
                UdpChannel channel = open(TestChannels.unicast("127.0.0.1", port))) {
            for (int cycle = 0; cycle < 60; cycle++) {
                publish(channel);
            }
            String nobody = "WARN 127.0.0.1:" + port + ": nobody listens (port unreachable)";
            assertThat(log.lines()).singleElement().asString().startsWith(nobody);
            try (FakeGmond gmond = new FakeGmond(port)) {
                for (int cycle = 0; cycle < 10; cycle++) {
                    publish(channel);
                    assertThat(text(gmond)).isEqualTo("one");
                    assertThat(text(gmond)).isEqualTo("two");
                }
            }
            assertThat(log.lines()).hasSize(2).last().asString().startsWith("INFO 127.0.0.1:" + port + ": works again");
        }
    }

    @Test
    void shouldNotWaitForLongWhenTheNameServerHangs() throws InterruptedException {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(2);
        try (LogLines log = new LogLines(UdpChannel.class);
                UdpChannel channel = new UdpChannel(
                        "slow",
                        true,
                        () -> {
                            asked.countDown();
                            hangs.await();
                            throw new UnknownHostException();
                        },
                        nowNanos::get)) {
            for (int cycle = 0; cycle < 20; cycle++) {
                assertThat(ready(channel)).isFalse();
                nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
            }
            assertThat(channel.errors()).isEqualTo(20);
            assertThat(asked.getCount())
                    .as("no second attempt beside the first")
                    .isEqualTo(1);
            hangs.countDown();
            Awaitility.await().until(() -> log.lines().size() == 2 || ready(channel));
            assertThat(log.lines())
                    .containsExactly(
                            "WARN slow: cannot be opened yet: the name server has not answered (said once, counted from now on)",
                            "WARN slow: cannot be opened: the name has no address (said once, counted from now on)");
        }
    }

    @Test
    void shouldNotBlameANameServerWhereThereIsNoName() throws Exception {
        assertThat(TestChannels.multicast("239.2.11.71", 8649, "eth0", 1).hasNames())
                .isFalse();
        assertThat(TestChannels.unicast("fd00::1", 1).hasNames()).isFalse();
        assertThat(TestChannels.unicast("node7", 1).hasNames()).isTrue();
        assertThat(new SendChannel("10.0.0.1", 1, false, Optional.empty(), 1, Optional.empty(), true).hasNames())
                .isTrue();
        CountDownLatch slow = new CountDownLatch(1);
        try (LogLines lines = new LogLines(UdpChannel.class);
                UdpChannel channel = new UdpChannel(
                        "239.2.11.71:8649 multicast",
                        false,
                        () -> {
                            slow.await();
                            throw NoRoute.explained(new SocketException("Network is unreachable"), "239.2.11.71");
                        },
                        nowNanos::get)) {
            channel.begin();
            assertThat(channel.prepare()).isFalse();
            assertThat(lines.lines()).isEmpty();
            slow.countDown();
            Awaitility.await().until(() -> !channel.prepare() && !lines.lines().isEmpty());
            assertThat(lines.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN 239.2.11.71:8649 multicast: cannot be opened: no route to 239.2.11.71");
        }
    }

    @Test
    void shouldSendWhenTheNameServerAnswersLate() throws IOException {
        CountDownLatch hangs = new CountDownLatch(1);
        try (FakeGmond gmond = new FakeGmond();
                UdpChannel channel = new UdpChannel(
                        "slow",
                        true,
                        () -> {
                            hangs.await();
                            return ChannelSocket.open(gmond.channel(), "node1");
                        },
                        nowNanos::get)) {
            assertThat(ready(channel)).isFalse();
            hangs.countDown();
            Awaitility.await().until(() -> ready(channel));
            channel.send(packet("late"));
            assertThat(text(gmond)).isEqualTo("late");
        }
    }

    @Test
    void shouldSendFromTheHostsAddressWhenBindHostnameIsGiven() throws IOException {
        try (FakeGmond gmond = new FakeGmond();
                UdpChannel channel = new UdpChannel(
                        new SendChannel("127.0.0.1", gmond.port(), false, Optional.empty(), 1, Optional.empty(), true),
                        "127.0.0.3",
                        nowNanos::get)) {
            assertThat(ready(channel)).isTrue();
            channel.send(packet("bound"));
            assertThat(Objects.requireNonNull(gmond.receive(5_000)).getAddress().getHostAddress())
                    .isEqualTo("127.0.0.3");
        }
    }

    /** What a publication does, and the time until the next. */
    private void publish(UdpChannel channel) {
        assertThat(ready(channel)).isTrue();
        channel.send(packet("one"));
        channel.send(packet("two"));
        nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
    }

    private UdpChannel open(SendChannel channel) {
        UdpChannel open = new UdpChannel(channel, "node1", nowNanos::get);
        assertThat(ready(open)).isTrue();
        return open;
    }

    private static boolean ready(UdpChannel channel) {
        channel.begin();
        return channel.prepare();
    }

    private static ByteBuffer packet(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String text(FakeGmond gmond) throws IOException {
        DatagramPacket packet = Objects.requireNonNull(gmond.receive(5_000));
        return new String(packet.getData(), 0, packet.getLength(), StandardCharsets.US_ASCII);
    }
}
