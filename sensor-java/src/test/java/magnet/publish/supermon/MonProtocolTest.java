// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import magnet.agent.AgentHealth;
import magnet.publish.server.Ports;
import magnet.publish.server.SelectorServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class MonProtocolTest {
    private static final SupermonSettings SETTINGS = new SupermonSettings(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            InetAddress::isLoopbackAddress,
            64,
            ReplyFormat.LANL);

    private final AtomicLong now = new AtomicLong();
    private final Samples samples = new Samples(
            ReplyFormat.LANL,
            new SampledHost("n-1", 1),
            new ProcCategories(Path.of("/proc"), InstantSource.system()),
            Optional::empty,
            now::get);

    /** One that has nothing to take may be silent for as long as it likes. */
    @Test
    void shouldCloseWhoDoesNotTakeItsAnswersAndNobodyElse() throws Exception {
        try (SelectorServer server =
                        SelectorServer.open(new MonProtocol(SETTINGS, samples), now::get, AgentHealth.unheard());
                Socket silent = new Socket(
                        server.address().getAddress(), server.address().getPort());
                Socket stuck = new Socket(
                        server.address().getAddress(), server.address().getPort())) {
            send(silent, "0x1S");
            awaitAnswer(silent);
            send(stuck, "S".repeat(100_000));
            // It takes one byte, so that there are answers, and nothing more.
            assertThat(stuck.getInputStream().read()).isEqualTo('(');
            now.addAndGet(TimeUnit.SECONDS.toNanos(SelectorServer.STUCK_SECONDS - 1));
            TimeUnit.MILLISECONDS.sleep(50);
            assertThat(server.brokenOff()).isZero();
            await().until(() -> {
                now.addAndGet(TimeUnit.SECONDS.toNanos(SelectorServer.STUCK_SECONDS + 1));
                return server.brokenOff() == 1;
            });
            send(silent, "S");
            awaitAnswer(silent);
        }
    }

    /** Answers all that ask when the last of them has, with a MiB each, as a concentrator may. */
    private static class Round implements Source {
        private static final int BYTES = 1 << 20;
        private final int clients;
        private final List<Consumer<byte[]>> asked = new ArrayList<>();
        private final List<Integer> open = new CopyOnWriteArrayList<>();
        private Ports ports;

        Round(int clients) {
            this.clients = clients;
        }

        @Override
        public void sample(long mask, Consumer<byte[]> to) {
            asked.add(to);
        }

        /** This one is given at once. */
        @Override
        public void describe(long mask, Consumer<byte[]> to) {
            to.accept(new byte[BYTES]);
        }

        @Override
        public void reconnect() {}

        @Override
        public void start(Ports servers) {
            ports = servers;
        }

        @Override
        public long work(long nowNanos) {
            if (asked.size() == clients) {
                for (Consumer<byte[]> each : asked) {
                    each.accept(new byte[BYTES]);
                    open.add(ports.clients());
                }
                asked.clear();
            }
            return NOTHING_DUE;
        }
    }

    /** The whole turn's answers, made before anybody was looked at, would be more than there is memory for. */
    @Test
    void shouldCloseAfterEachAnswerThoseThatAreTooManyForTheMemory() throws Exception {
        int count = 16;
        Round round = new Round(count);
        List<Socket> clients = new ArrayList<>();
        try (SelectorServer server = SelectorServer.open(
                new MonProtocol(SETTINGS, round), 4L * Round.BYTES, now::get, AgentHealth.unheard(), () -> {})) {
            for (int i = 0; i < count; i++) {
                clients.add(new Socket(
                        server.address().getAddress(), server.address().getPort()));
                send(clients.get(i), "S");
            }
            await().until(() -> round.open.size() == count);
            assertThat(round.open).containsExactly(16, 16, 16, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4);
            assertThat(server.brokenOff()).isEqualTo(12);
            int answered = 0;
            for (Socket each : clients) {
                answered += rest(each, Round.BYTES) == Round.BYTES ? 1 : 0;
            }
            assertThat(answered).isEqualTo(4);
        } finally {
            for (Socket each : clients) {
                each.close();
            }
        }
    }

    @Test
    void shouldCloseOnceWhoseAnswerAloneIsTooMuchAndGoOn() throws Exception {
        Round round = new Round(1);
        try (SelectorServer server = SelectorServer.open(
                new MonProtocol(SETTINGS, round), Round.BYTES - 1, now::get, AgentHealth.unheard(), () -> {})) {
            for (String request : List.of("###", "S", "#")) {
                try (Socket client = new Socket(
                        server.address().getAddress(), server.address().getPort())) {
                    send(client, request);
                    assertThat(rest(client, 1)).isZero();
                }
            }
            assertThat(server.brokenOff()).isEqualTo(3);
        }
    }

    @Test
    void shouldEndOnlyTheClientWhoseRequestIsAFault() throws Exception {
        Round faulty = new Round(2) {
            @Override
            public void describe(long mask, Consumer<byte[]> to) {
                if (mask == 1) {
                    throw new IllegalStateException("a fault");
                }
                super.describe(mask, to);
            }
        };
        try (SelectorServer server =
                        SelectorServer.open(new MonProtocol(SETTINGS, faulty), now::get, AgentHealth.unheard());
                Socket other = new Socket(
                        server.address().getAddress(), server.address().getPort());
                Socket client = new Socket(
                        server.address().getAddress(), server.address().getPort())) {
            send(client, "0x1#");
            assertThat(rest(client, 1)).isZero();
            await().until(() -> server.brokenOff() == 1);
            send(other, "#");
            assertThat(rest(other, Round.BYTES)).isEqualTo(Round.BYTES);
            assertThat(server.failure()).isEmpty();
        }
    }

    @Test
    void shouldSayWhatHasEndedItAndGiveThePortBack() throws Exception {
        Round faulty = new Round(1) {
            private boolean wasAsked;

            @Override
            public void describe(long mask, Consumer<byte[]> to) {
                wasAsked = true;
            }

            @Override
            public long work(long nowNanos) {
                if (wasAsked) {
                    throw new IllegalStateException("a fault");
                }
                return super.work(nowNanos);
            }
        };
        CountDownLatch told = new CountDownLatch(1);
        SelectorServer server = SelectorServer.open(
                new MonProtocol(SETTINGS, faulty), now::get, AgentHealth.unheard(), told::countDown);
        assertThat(server.failure()).isEmpty();
        try (Socket client =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            InetSocketAddress address = server.address();
            send(client, "#");
            told.await();
            assertThat(server.failure())
                    .hasValueSatisfying(failure -> assertThat(failure).hasMessage("a fault"));
            assertThat(rest(client, 1)).isZero();
            assertThatThrownBy(() -> new Socket(address.getAddress(), address.getPort()))
                    .isInstanceOf(ConnectException.class);
        } finally {
            server.close();
        }
    }

    /** So many bytes, or fewer if it is closed before. */
    private static int rest(Socket socket, int most) throws IOException {
        try {
            return socket.getInputStream().readNBytes(most).length;
        } catch (SocketException e) {
            // Closed while it had sent what was not read.
            return 0;
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
