// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class MonServerTest {
    private static final SupermonSettings SETTINGS = new SupermonSettings(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            InetAddress::isLoopbackAddress,
            64,
            ReplyFormat.LANL);

    private final AtomicLong now = new AtomicLong();
    private final Samples samples = new Samples(
            ReplyFormat.LANL,
            new Node("n-1", 1),
            new ProcCategories(Path.of("/proc"), InstantSource.system()),
            Optional::empty,
            now::get);

    /** One that has nothing to take may be silent for as long as it likes. */
    @Test
    void shouldCloseWhoDoesNotTakeItsAnswersAndNobodyElse() throws Exception {
        try (MonServer server = MonServer.open(SETTINGS, samples, now::get);
                Socket silent = new Socket(
                        server.address().getAddress(), server.address().getPort());
                Socket stuck = new Socket(
                        server.address().getAddress(), server.address().getPort())) {
            send(silent, "0x1S");
            awaitAnswer(silent);
            send(stuck, "S".repeat(100_000));
            // It takes one byte, so that there are answers, and nothing more.
            assertThat(stuck.getInputStream().read()).isEqualTo('(');
            now.addAndGet(TimeUnit.SECONDS.toNanos(MonServer.STUCK_SECONDS - 1));
            TimeUnit.MILLISECONDS.sleep(50);
            assertThat(server.brokenOff()).isZero();
            await().until(() -> {
                now.addAndGet(TimeUnit.SECONDS.toNanos(MonServer.STUCK_SECONDS + 1));
                return server.brokenOff() == 1;
            });
            send(silent, "S");
            awaitAnswer(silent);
        }
    }

    /** Other clients of the same moment get the same reading, and the next moment another. */
    @Test
    void shouldReadACategoryOnceInAWhileHoweverManyAsk() {
        String first = samples.sample(StandardCategory.TIME.lanlBit());
        assertThat(samples.sample(StandardCategory.TIME.lanlBit())).isEqualTo(first);
        await().until(() -> {
            now.addAndGet(TimeUnit.MILLISECONDS.toNanos(Samples.KEEP_MILLIS));
            return !samples.sample(StandardCategory.TIME.lanlBit()).equals(first);
        });
    }

    private static void send(Socket socket, String bytes) throws Exception {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
    }

    private static void awaitAnswer(Socket socket) throws Exception {
        int lineEnds = 0;
        while (lineEnds < 2) {
            int next = socket.getInputStream().read();
            assertThat(next).isNotNegative();
            lineEnds += next == '\n' ? 1 : 0;
        }
    }
}
