// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import magnet.agent.AgentHealth;
import magnet.publish.LogLines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SelectorServerTest {
    private static final int MOST = 3;
    private static final int BYTES = 1 << 20;

    private final AtomicLong now = new AtomicLong();
    private final AgentHealth health = new AgentHealth(now::get);
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger ended = new AtomicInteger();
    private final List<Socket> clients = new ArrayList<>();
    private final ServerSlot<SelectorServer> slot = new ServerSlot<>();

    @AfterEach
    void close() throws IOException {
        release.countDown();
        for (Socket each : clients) {
            each.close();
        }
        slot.close();
    }

    /** One letter is one request. */
    private final class Letters implements Conversation {
        private boolean inUse;

        @Override
        public int inputBytes() {
            return 16;
        }

        @Override
        public int mostPending() {
            return 1;
        }

        @Override
        public boolean take(ByteBuffer came, Replies answers) throws IOException {
            char letter = (char) came.get();
            switch (letter) {
                case 'b' -> answers.add(ByteBuffer.allocate(BYTES));
                case 'd' -> throw new NoClassDefFoundError("magnet/Replaced");
                case 'f' -> throw new IllegalStateException("a fault");
                case 'h' -> hang();
                case 'q' -> answers.end();
                case 'u' -> inUse = true;
                case 'x' -> throw new IOException("no such letter");
                default -> answers.add(ByteBuffer.wrap(new byte[] {(byte) letter}));
            }
            return true;
        }

        @Override
        public boolean isInUse() {
            return inUse;
        }

        @Override
        public void ended() {
            ended.incrementAndGet();
        }
    }

    private void hang() {
        entered.countDown();
        try {
            release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Spelling implements Protocol, Reception {
        @Override
        public String name() {
            return "letters";
        }

        @Override
        public void start(Ports ports) throws IOException {
            ports.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), this);
        }

        @Override
        public long work(long nowNanos) {
            return TimeUnit.MILLISECONDS.toNanos(20);
        }

        @Override
        public Optional<String> refusal(SocketChannel channel, int connections) {
            return connections < MOST ? Optional.empty() : Optional.of("there are 3 already");
        }

        @Override
        public byte[] farewell() {
            return new byte[] {'!'};
        }

        @Override
        public Conversation welcome(SocketChannel channel) {
            return new Letters();
        }
    }

    private SelectorServer open() throws IOException {
        slot.keepOpen(() -> SelectorServer.open(new Spelling(), now::get, health), failure -> {});
        return slot.server().orElseThrow();
    }

    private Socket client(SelectorServer server) throws IOException {
        InetSocketAddress address = server.address();
        Socket client = new Socket(address.getAddress(), address.getPort());
        clients.add(client);
        return client;
    }

    private static void send(Socket to, String letters) throws IOException {
        to.getOutputStream().write(letters.getBytes(StandardCharsets.US_ASCII));
    }

    private static String ask(Socket whom, String letters) throws IOException {
        send(whom, letters);
        return new String(whom.getInputStream().readNBytes(letters.length()), StandardCharsets.US_ASCII);
    }

    private static boolean isClosed(Socket client) throws IOException {
        try {
            return client.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    @Test
    void shouldBeMissedByTheWatchdogWhenItsThreadHangs() throws Exception {
        Socket client = client(open());
        assertThat(ask(client, "a")).isEqualTo("a");
        now.addAndGet(SelectorServer.LONGEST_TURN.toNanos());
        await().untilAsserted(() -> assertThat(health.complaint()).isEmpty());
        send(client, "uh");
        entered.await();
        now.addAndGet(SelectorServer.LONGEST_TURN.toNanos() + 1);
        assertThat(health.complaint())
                .hasValueSatisfying(
                        complaint -> assertThat(complaint).startsWith("magnet-letters-server has stood still for "));
        release.countDown();
        assertThat(ask(client, "a")).isEqualTo("a");
        await().untilAsserted(() -> assertThat(health.complaint()).isEmpty());
    }

    /** A class may be missing while a package is replaced. */
    @Test
    void shouldBeMissedByTheWatchdogWhenItDiesOfAnErrorUntilThereIsAnother() throws Exception {
        SelectorServer dead = open();
        Socket client = client(dead);
        send(client, "d");
        assertThat(isClosed(client)).isTrue();
        String error = "java.lang.NoClassDefFoundError: magnet/Replaced";
        await().untilAsserted(
                        () -> assertThat(health.complaint()).hasValue("magnet-letters-server has ended: " + error));
        assertThat(health.failures()).isOne();
        assertThat(dead.failure())
                .hasValueSatisfying(failure -> assertThat(failure).isInstanceOf(Error.class));
        List<Throwable> failures = new ArrayList<>();
        slot.keepOpen(() -> SelectorServer.open(new Spelling(), now::get, health), failures::add);
        assertThat(health.complaint()).isEmpty();
        assertThat(failures).hasSize(1);
        assertThat(slot.errors()).isOne();
        assertThat(ask(client(slot.server().orElseThrow()), "b")).hasSize(1);
    }

    @Test
    void shouldNotBeMissedOnceItIsClosed() throws Exception {
        open().close();
        now.addAndGet(Duration.ofDays(1).toNanos());
        assertThat(health.complaint()).isEmpty();
    }

    @Test
    void shouldEndOnlyTheClientThatIsAtFault() throws Exception {
        SelectorServer server = open();
        Socket other = client(server);
        for (String letter : List.of("f", "x", "q")) {
            Socket client = client(server);
            assertThat(ask(client, "ac")).isEqualTo("ac");
            send(client, letter);
            assertThat(isClosed(client)).isTrue();
        }
        assertThat(ask(other, "z")).isEqualTo("z");
        assertThat(server.brokenOff()).as("the server's own fault").isOne();
        assertThat(ended).hasValue(3);
        assertThat(health.failures()).isZero();
    }

    @Test
    void shouldRefuseOneTooManyAndSayItOnce() throws Exception {
        try (LogLines log = new LogLines(SelectorServer.class)) {
            SelectorServer server = open();
            for (int i = 0; i < MOST; i++) {
                assertThat(ask(client(server), "a")).isEqualTo("a");
            }
            for (int i = 0; i < 2; i++) {
                Socket refused = client(server);
                assertThat(refused.getInputStream().read()).isEqualTo('!');
                assertThat(isClosed(refused)).isTrue();
            }
            assertThat(log.lines()).containsExactly("WARN letters: refused 127.0.0.1: there are 3 already; said once");
        }
    }

    @Test
    void shouldCloseWhoIsSilentUnlessTheProtocolWantsItKept() throws Exception {
        SelectorServer server = open();
        Socket kept = client(server);
        Socket silent = client(server);
        assertThat(ask(silent, "a")).isEqualTo("a");
        send(kept, "u");
        assertThat(ask(kept, "a")).isEqualTo("a");
        now.addAndGet(TimeUnit.SECONDS.toNanos(SelectorServer.IDLE_SECONDS) + 1);
        assertThat(isClosed(silent)).isTrue();
        assertThat(ask(kept, "a")).isEqualTo("a");
        assertThat(server.brokenOff()).isZero();
    }

    /** It takes one byte, so that there is an answer, and nothing more. */
    @Test
    void shouldCloseAndCountWhoDoesNotTakeItsAnswers() throws Exception {
        SelectorServer server = open();
        Socket stuck = client(server);
        send(stuck, "b".repeat(64));
        assertThat(stuck.getInputStream().read()).isZero();
        await().until(() -> {
            now.addAndGet(TimeUnit.SECONDS.toNanos(SelectorServer.STUCK_SECONDS) + 1);
            return server.brokenOff() == 1;
        });
        assertThat(ended).hasValue(1);
    }

    /** A request is taken when the answer before it is: they come one after the other, however they were sent. */
    @Test
    void shouldAnswerAllThatCameAtOnceInOrder() throws Exception {
        Socket client = client(open());
        String letters = "aceg".repeat(100);
        assertThat(ask(client, letters)).isEqualTo(letters);
    }
}
