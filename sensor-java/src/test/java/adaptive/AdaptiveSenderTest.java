// SPDX-License-Identifier: Apache-2.0
package adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Instant;
import java.util.Map;
import magnet.adapt.Interval;
import org.junit.jupiter.api.Test;

/** How the sample's rate follows what it is told; AdaptIT lets it send over a link that is too narrow. */
final class AdaptiveSenderTest {
    private final AdaptiveSender sender = new AdaptiveSender(400);

    private static Interval interval(double queueDrops, double socketDrops, long lost) {
        return new Interval(
                Instant.EPOCH,
                0.5,
                Map.of(
                        "magnet_net_drops_queue_rate", queueDrops,
                        "magnet_net_drops_socket_buffer_rate", socketDrops),
                lost,
                false,
                false);
    }

    @Test
    void shouldHalveAtDropsAndRaiseInSteps() {
        assertThat(sender.rate()).isEqualTo(400);
        sender.onInterval(interval(300, 0, 0));
        assertThat(sender.rate()).isEqualTo(200);
        sender.onInterval(interval(0, 1, 0));
        assertThat(sender.rate()).isEqualTo(100);
        sender.onInterval(interval(0, 0, 0));
        sender.onInterval(interval(0, 0, 0));
        assertThat(sender.rate()).isEqualTo(140);
    }

    @Test
    void shouldStayBetweenItsBounds() {
        for (int i = 0; i < 30; i++) {
            sender.onInterval(interval(9, 9, 0));
        }
        assertThat(sender.rate()).isEqualTo(20);
        for (int i = 0; i < 30; i++) {
            sender.onInterval(interval(0, 0, 0));
        }
        assertThat(sender.rate()).isEqualTo(400);
    }

    @Test
    void shouldNotTakeALossyIntervalForOneWithoutDrops() {
        sender.onInterval(interval(300, 0, 7));
        assertThat(sender.rate()).isEqualTo(200);
        sender.onInterval(interval(0, 0, 7));
        assertThat(sender.rate()).isEqualTo(200);
    }

    @Test
    void shouldSendLeastWhenItIsBlind() {
        sender.onEnd("the module was unloaded");
        assertThat(sender.rate()).isEqualTo(20);
    }

    @Test
    void shouldSendNoMoreThanItsRateAllows() throws Exception {
        try (DatagramChannel receiver =
                DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            InetSocketAddress to = (InetSocketAddress) receiver.getLocalAddress();
            AdaptiveSender.main(new String[] {to.getHostString(), "" + to.getPort(), "100", "0.5", "fixed"});
            receiver.configureBlocking(false);
            int received = 0;
            while (receiver.receive(ByteBuffer.allocate(200)) != null) {
                received++;
            }
            assertThat(received).isBetween(1, 50);
        }
    }
}
