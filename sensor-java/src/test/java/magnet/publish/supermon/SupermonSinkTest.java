// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.publish.Newest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class SupermonSinkTest {
    private static final int INTERVAL_SECONDS = 5;
    private static final String END = "\n\n";

    private final AtomicLong now = new AtomicLong();
    private final List<Socket> sockets = new ArrayList<>();
    private SupermonSink sink = sink(InetAddress::isLoopbackAddress, 64, ReplyFormat.LANL);

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        sink.close();
    }

    private SupermonSink sink(Predicate<InetAddress> allow, int clients, ReplyFormat format) {
        return new SupermonSink(
                new SupermonSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), allow, clients, format),
                INTERVAL_SECONDS,
                now::get);
    }

    private static MetricSnapshot snapshot(double value) {
        MetricSnapshot.Builder builder = MetricSnapshot.of(Instant.EPOCH, 25, Metrics.DEFAULT);
        for (Metric metric : Metrics.DEFAULT) {
            builder.put(metric, value);
        }
        return builder.build();
    }

    private Socket connect() throws IOException {
        InetSocketAddress address = sink.listening().orElseThrow();
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        return socket;
    }

    private static void send(Socket socket, String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** One answer, up to the empty line that ends it. */
    private static String answer(Socket socket) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        InputStream in = socket.getInputStream();
        while (!answer.toString(StandardCharsets.UTF_8).endsWith(END)) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the connection ended after '" + answer + "'");
            }
            answer.write(next);
        }
        return answer.toString(StandardCharsets.UTF_8);
    }

    private static List<Object> ask(Socket socket, String bytes) throws IOException {
        send(socket, bytes);
        return SexpParser.list(answer(socket));
    }

    /** The name of the first category, of a sample or a description. */
    private static Object named(List<Object> answer) {
        List<?> first = (List<?>) answer.get(0);
        return first.get(0).equals("D") ? first.get(1) : first.get(0);
    }

    private static Set<String> categories(List<Object> sample) {
        Set<String> names = new TreeSet<>();
        sample.forEach(each -> names.add((String) ((List<?>) each).get(1)));
        return names;
    }

    /** Each byte in a packet of its own, and all of them in one. */
    @ParameterizedTest
    @ValueSource(strings = {"\n\"Sn\" ", "0x40S\n", "S\r\n", "0x1001S", "0x41#"})
    void shouldAnswerWhereverARequestIsCut(String request) throws Exception {
        sink.publish(snapshot(1.5));
        Socket socket = connect();
        List<Object> whole = ask(socket, request);
        for (int cut = 1; cut < request.length(); cut++) {
            Socket other = connect();
            send(other, request.substring(0, cut));
            send(other, request.substring(cut));
            List<Object> answer = SexpParser.list(answer(other));
            assertThat(answer).hasSameSizeAs(whole);
            assertThat(named(answer)).isEqualTo(named(whole));
        }
    }

    @Test
    void shouldGiveWhatTheClientOfLosAlamosTakes() throws Exception {
        sink.publish(snapshot(1.5));
        List<Object> sample = ask(connect(), "0x40S\n");
        assertThat(sample).hasSize(1);
        List<?> data = (List<?>) ((List<?>) sample.get(0)).get(4);
        assertThat(data).hasSizeGreaterThanOrEqualTo(4);
        for (int i = 1; i <= 3; i++) {
            assertThat((String) data.get(i)).matches("\\d+");
        }
    }

    @Test
    void shouldGiveStandardCategoriesAndMagnetsByDefault() throws Exception {
        sink.publish(snapshot(1.5));
        Set<String> names = categories(ask(connect(), "S"));
        for (StandardCategory each : StandardCategory.values()) {
            assertThat(names).contains(each.label());
        }
        assertThat(names).contains("magnet_network", "magnet_scheduler", "magnet_interrupts", "magnet_sensor");
    }

    @Test
    void shouldGiveTheValuesOfTheNewestSnapshot() throws Exception {
        sink.publish(snapshot(1.5));
        Socket socket = connect();
        assertThat(String.valueOf(ask(socket, "0x2000S"))).contains("magnet_net_udp_send_packets_rate, 1.5]");
        sink.publish(snapshot(1e9 + 0.25));
        assertThat(String.valueOf(ask(socket, "S"))).contains("magnet_net_udp_send_packets_rate, 1000000000.25]");
    }

    @Test
    void shouldLeaveOutWhatIsOutOfDate() throws Exception {
        sink.publish(snapshot(1.5));
        Socket socket = connect();
        assertThat(categories(ask(socket, "0x3001S"))).containsExactly("cpuinfo", "magnet_network", "magnet_sensor");
        now.addAndGet(TimeUnit.SECONDS.toNanos(Newest.INTERVALS * INTERVAL_SECONDS + 1));
        assertThat(categories(ask(socket, "S"))).containsExactly("cpuinfo");
    }

    @Test
    void shouldAnswerPipelinedRequestsInTheirOrder() throws Exception {
        sink.publish(snapshot(1.5));
        Socket socket = connect();
        send(socket, "0x1S0x2S0x0S#0x40S");
        assertThat(categories(SexpParser.list(answer(socket)))).containsExactly("cpuinfo");
        assertThat(categories(SexpParser.list(answer(socket)))).containsExactly("meminfo");
        assertThat(answer(socket)).isEqualTo("()" + END);
        assertThat(answer(socket)).isEqualTo("((nodes 1))" + END);
        assertThat(categories(SexpParser.list(answer(socket)))).containsExactly("avenrun");
    }

    @Test
    void shouldGiveAThousandSamplesThatWereAskedForAtOnce() throws Exception {
        sink.publish(snapshot(1.5));
        Socket socket = connect();
        send(socket, "0x3001" + "S".repeat(1_000) + "Q");
        String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(SexpParser.parse(all))
                .hasSize(1_000)
                .allSatisfy(sample -> assertThat((List<?>) sample).hasSize(3));
    }

    @Test
    void shouldKeepAMaskForEachOfManyClients() throws Exception {
        sink.publish(snapshot(1.5));
        List<Socket> clients = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            clients.add(connect());
            send(clients.get(i), "0x" + Integer.toHexString(i));
        }
        for (int i = 0; i < 64; i++) {
            assertThat(ask(clients.get(i), "S")).hasSize(Integer.bitCount(i));
        }
    }

    @Test
    void shouldNotWaitForAClientThatTakesNothing() throws Exception {
        sink.publish(snapshot(1.5));
        Socket slow = connect();
        send(slow, "S".repeat(100_000));
        Socket other = connect();
        for (int i = 0; i < 100; i++) {
            assertThat(categories(ask(other, "0x1S"))).containsExactly("cpuinfo");
        }
        assertThat(sink.errors()).isZero();
        slow.setSoLinger(true, 0);
        slow.close();
        await().untilAsserted(() -> assertThat(sink.errors()).isEqualTo(1));
    }

    @Test
    void shouldSendAllAnswersBeforeItCloses() throws Exception {
        sink.publish(snapshot(1.5));
        Socket socket = connect();
        send(socket, "0x1SSS");
        socket.shutdownOutput();
        String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(SexpParser.parse(all)).hasSize(3);
        assertThat(sink.errors()).isZero();
    }

    @Test
    void shouldCloseConnectionsFromElsewhereAtOnce() throws Exception {
        sink.close();
        sink = sink(from -> false, 64, ReplyFormat.LANL);
        sink.publish(snapshot(1.5));
        assertThat(connect().getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void shouldCloseOneConnectionTooManyAndGoOn() throws Exception {
        sink.close();
        sink = sink(InetAddress::isLoopbackAddress, 1, ReplyFormat.LANL);
        sink.publish(snapshot(1.5));
        Socket first = connect();
        ask(first, "0x1S");
        assertThat(connect().getInputStream().read()).isEqualTo(-1);
        ask(first, "S");
        first.close();
        await().untilAsserted(
                        () -> assertThat(categories(ask(connect(), "0x1S"))).containsExactly("cpuinfo"));
    }

    @Test
    void shouldAnswerInTheShapeOfLinuxLabs() throws Exception {
        sink.close();
        sink = sink(InetAddress::isLoopbackAddress, 64, ReplyFormat.LINUXLABS);
        sink.publish(snapshot(1.5));
        Socket socket = connect();
        send(socket, "0x2S\r\n");
        assertThat(answer(socket)).contains(" ((avenrun (mask 0x2) (node 0x").endsWith(")))))" + END);
    }

    /** A fault of the server's, which a clock that throws stands for, ends its thread. */
    @Test
    void shouldListenAgainAtTheNextPublicationWhenTheServerHasFailed() throws Exception {
        AtomicBoolean faulty = new AtomicBoolean();
        sink = new SupermonSink(
                new SupermonSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        InetAddress::isLoopbackAddress,
                        64,
                        ReplyFormat.LANL),
                INTERVAL_SECONDS,
                () -> {
                    if (faulty.get()) {
                        throw new IllegalStateException("a fault");
                    }
                    return now.get();
                });
        sink.publish(snapshot(1));
        Socket socket = connect();
        ask(socket, "0x2000S");
        faulty.set(true);
        send(socket, "S");
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
        faulty.set(false);
        await().until(() -> {
            sink.publish(snapshot(2));
            try {
                return categories(ask(connect(), "0x2000S")).contains("magnet_network");
            } catch (IOException e) {
                return false;
            }
        });
    }

    @Test
    void shouldSayWhoHasThePortAndTryAgain() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            sink.close();
            sink = new SupermonSink(
                    new SupermonSettings(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), taken.getLocalPort()),
                            InetAddress::isLoopbackAddress,
                            64,
                            ReplyFormat.LANL),
                    INTERVAL_SECONDS,
                    now::get);
            assertThatThrownBy(() -> sink.publish(snapshot(1)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot listen for supermon at 127.0.0.1:" + taken.getLocalPort())
                    .hasMessageContaining("end who does, or give another address");
        }
        sink.publish(snapshot(1));
        assertThat(categories(ask(connect(), "0x1S"))).containsExactly("cpuinfo");
    }
}
