// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import magnet.agent.AgentHealth;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.record.EventType;
import magnet.record.RecordHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class MuseSinkTest {
    private static final int QUERY = 3;
    private static final int START = 5;

    @TempDir
    private Path folder;

    private final AtomicBoolean open = new AtomicBoolean();
    private MuseSink sink = sink(Optional.empty(), 0, 4);

    private MuseSink sink(Optional<Path> socket, int port, int clients) {
        MuseSettings settings = new MuseSettings(
                socket,
                Optional.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)),
                clients,
                StructLayout.I386);
        return new MuseSink(settings, this::tap, new FakeTap(), 2, 5, () -> 0, AgentHealth.unheard());
    }

    /** Says whether it is open for other threads. */
    private EventTap tap(RecordHandler handler) throws IOException {
        FakeTap tap = new FakeTap();
        open.set(true);
        tap.open(handler);
        return new EventTap() {
            @Override
            public void select(Map<EventType, String> rules) throws IOException {
                tap.select(rules);
            }

            @Override
            public void read() throws IOException {
                tap.read();
            }

            @Override
            public TickClock clock() {
                return tap;
            }

            @Override
            public void readAll() throws IOException {
                tap.switched(0, 5, 6);
                tap.readAll();
            }

            @Override
            public void close() {
                tap.close();
                open.set(false);
            }
        };
    }

    @AfterEach
    void closeSink() {
        sink.close();
    }

    private InetSocketAddress publish() throws IOException {
        sink.publish(MetricSnapshot.of(Instant.EPOCH, 25, Metrics.DEFAULT).build());
        return sink.listening().orElseThrow();
    }

    private static byte[] join(List<byte[]> parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        parts.forEach(all::writeBytes);
        return all.toByteArray();
    }

    /** What TAU asks for its package busy_time, cut in two anywhere, and in one piece. */
    @Test
    void shouldUnderstandRequestsThatComeInPieces() throws IOException {
        InetSocketAddress address = publish();
        byte[] asked = join(List.of(
                Frames.createScheduling(),
                Frames.addProcessFilter(1, 5, 258),
                Frames.addProcessFilter(1, 5, 259),
                Frames.ofHandler(START, 1),
                Frames.ofHandler(QUERY, 1)));
        for (int cut = 0; cut <= asked.length; cut++) {
            try (TestClient client = TestClient.at(address)) {
                client.send(asked, 0, cut);
                client.send(asked, cut, asked.length);
                assertThat(client.receive()).containsExactly(0, 1);
                for (int i = 0; i < 3; i++) {
                    assertThat(client.receive()).containsExactly(0);
                }
                assertThat(client.receive()).hasSize(1 + 20 + 2 * 24).startsWith(0);
                if (cut % 2 == 0) {
                    assertThat(client.ask(Frames.quit())).containsExactly(0);
                    assertThat(client.isEnded()).isTrue();
                }
            }
        }
        await().untilFalse(open);
        assertThat(sink.errors()).isZero();
    }

    @Test
    void shouldGiveEachClientItsOwnHandlers() throws IOException {
        InetSocketAddress address = publish();
        List<TestClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                TestClient client = TestClient.at(address);
                clients.add(client);
                for (int number = 1; number <= i + 1; number++) {
                    assertThat(client.ask(Frames.createCount())).containsExactly(0, number);
                }
            }
            assertThat(clients.get(0).ask(Frames.ofHandler(START, 2))).startsWith(1);
            assertThat(clients.get(3).ask(Frames.ofHandler(START, 4))).containsExactly(0);
            assertThat(open).isTrue();
            assertThat(TestClient.greeting(address)).as("one too many").isOne();
        } finally {
            for (TestClient client : clients) {
                client.close();
            }
        }
        await().untilFalse(open);
        try (TestClient later = TestClient.at(address)) {
            assertThat(later.ask(Frames.createCount())).containsExactly(0, 1);
        }
    }

    @Test
    void shouldEndAConnectionWhoseRequestIsTooLong() throws IOException {
        InetSocketAddress address = publish();
        try (TestClient client = TestClient.at(address)) {
            byte[] longest = Frames.frame(MuseConversation.REQUEST_BYTES, "01 0b", "accumulator", "00 00000000");
            assertThat(client.ask(longest)).containsExactly(0, 1);
            client.send(Frames.frame(0, "", "", ""));
            assertThat(client.receive()).startsWith(1);
            client.send(new byte[] {0, 0, 0x20, 1});
            assertThat(client.isEnded()).isTrue();
        }
    }

    /** Many requests at once, of which no reply is taken before the last is sent, and one who takes nothing at all. */
    @Test
    void shouldAnswerOthersWhileOneTakesNothing() throws Exception {
        InetSocketAddress address = publish();
        byte[] help = Frames.named(0, "");
        try (TestClient stuck = TestClient.at(address);
                TestClient client = TestClient.at(address)) {
            Thread sender = new Thread(() -> {
                try {
                    for (int i = 0; i < 100_000; i++) {
                        stuck.send(help);
                    }
                } catch (IOException e) {
                    // It is closed in the end.
                }
            });
            sender.start();
            for (int i = 0; i < 1_000; i++) {
                assertThat(client.ask(help)).startsWith(0);
            }
            sender.interrupt();
            sender.join();
        }
    }

    @Test
    void shouldListenAtASocketOfItsGroup() throws IOException {
        Path socket = folder.resolve("magnetd");
        sink = sink(Optional.of(socket), 0, 4);
        publish();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                .isEqualTo("rw-rw----");
        try (TestClient client = TestClient.at(socket)) {
            assertThat(client.ask(Frames.createAccumulator())).containsExactly(0, 1);
        }
        MuseSink second = sink(Optional.of(socket), 0, 4);
        assertThatThrownBy(() -> second.publish(
                        MetricSnapshot.of(Instant.EPOCH, 25, List.of()).build()))
                .hasMessage("cannot listen for clients of muse at " + socket
                        + ": somebody listens there already; end who does, or mend [muse]");
        assertThat(socket).exists();
        sink.close();
        assertThat(socket).doesNotExist();
    }

    @Test
    void shouldTakeThePlaceOfOneThatWasKilled() throws IOException {
        Path socket = folder.resolve("magnetd");
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(socket));
        }
        assertThat(socket).exists();
        sink = sink(Optional.of(socket), 0, 4);
        publish();
        try (TestClient client = TestClient.at(socket)) {
            assertThat(client.ask(Frames.quit())).containsExactly(0);
        }
    }

    @Test
    void shouldSayThatThePortIsTaken() throws IOException {
        InetSocketAddress address = publish();
        MuseSink second = sink(Optional.empty(), address.getPort(), 4);
        assertThatThrownBy(() -> second.publish(
                        MetricSnapshot.of(Instant.EPOCH, 25, List.of()).build()))
                .hasMessage("cannot listen for clients of muse at 127.0.0.1:" + address.getPort()
                        + ": Address already in use; end who does, or mend [muse]");
        second.close();
    }
}
