// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import magnet.agent.AgentHealth;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.SensorMetrics;
import magnet.publish.LogLines;
import magnet.publish.SinkRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class OpenMetricsSinkTest {
    private static final int INTERVAL_SECONDS = 5;
    private static final String OPENMETRICS = "application/openmetrics-text";

    private final AtomicLong now = new AtomicLong(-1);
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Socket> sockets = new ArrayList<>();
    private boolean filesOpen;
    private OpenMetricsSink sink = sink("127.0.0.1", 0);

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        sink.close();
    }

    private OpenMetricsSink sink(String host, int port) {
        return new OpenMetricsSink(new InetSocketAddress(host, port), INTERVAL_SECONDS, now::get, () -> {
            if (filesOpen) {
                throw new IOException("Too many open files");
            }
        });
    }

    private static MetricSnapshot snapshot(double value) {
        MetricSnapshot.Builder builder =
                MetricSnapshot.of(Instant.parse("2026-11-22T08:09:10.987Z"), 25, Metrics.DEFAULT);
        for (Metric metric : Metrics.DEFAULT) {
            builder.put(metric, value);
        }
        return builder.build();
    }

    private URI uri(String path) {
        return URI.create(OpenMetricsSink.url(sink.listening().orElseThrow())).resolve(path);
    }

    private HttpResponse<byte[]> ask(String method, String path, String accept) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(uri(path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .header("Accept", accept)
                .timeout(Duration.ofSeconds(60))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    }

    private HttpResponse<byte[]> get() throws Exception {
        return ask("GET", "/metrics", OPENMETRICS);
    }

    private static BigDecimal events(HttpResponse<byte[]> answer) {
        assertThat(answer.statusCode()).isEqualTo(200);
        return OpenMetricsText.parse(answer.body())
                .get(SensorMetrics.EVENTS.name())
                .value();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.8.9.10", "::1"})
    void shouldAnswerOnTheAddressThatItWasGivenAndNoOther(String host) throws Exception {
        sink = sink(host, 0);
        sink.publish(snapshot(1.5));
        assertThat(sink.listening().orElseThrow().getAddress()).isEqualTo(InetAddress.getByName(host));
        assertThat(events(get())).isEqualTo("1.5");
        int port = sink.listening().orElseThrow().getPort();
        assertThatThrownBy(() -> new Socket("127.0.0.99", port)).isInstanceOf(ConnectException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "10.0.0.1", "::", "192.0.2.1"})
    void shouldRefuseAnAddressThatOthersCanReach(String host) {
        assertThatThrownBy(() -> sink(host, 9464)).hasMessageContaining("no loopback address");
    }

    @Test
    void shouldAnswerInTheFormatThatIsAskedFor() throws Exception {
        sink.publish(snapshot(2));
        HttpResponse<byte[]> openMetrics = get();
        assertThat(openMetrics.headers().firstValue("Content-Type"))
                .contains("application/openmetrics-text; version=1.0.0; charset=utf-8");
        HttpResponse<byte[]> text = ask("GET", "/metrics", "*/*");
        assertThat(text.headers().firstValue("Content-Type")).contains("text/plain; version=0.0.4; charset=utf-8");
        assertThat(OpenMetricsText.parsePrometheus(text.body()).keySet())
                .isEqualTo(OpenMetricsText.parse(openMetrics.body()).keySet());
        for (HttpResponse<byte[]> answer : List.of(openMetrics, text)) {
            assertThat(answer.headers().firstValue("Vary")).contains("Accept");
            assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
            assertThat(answer.headers().firstValue("Last-Modified")).contains("Sun, 22 Nov 2026 08:09:10 GMT");
        }
    }

    @Test
    void shouldSendTheHeadOfThePageAlone() throws Exception {
        sink.publish(snapshot(2));
        HttpResponse<byte[]> head = ask("HEAD", "/metrics", OPENMETRICS);
        HttpResponse<byte[]> page = get();
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.headers().firstValue("Content-Length")).contains(String.valueOf(page.body().length));
        assertThat(head.headers().firstValue("Content-Type"))
                .isEqualTo(page.headers().firstValue("Content-Type"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"})
    void shouldRefuseWhatChangesSomething(String method) throws Exception {
        sink.publish(snapshot(2));
        HttpResponse<byte[]> answer = ask(method, "/metrics", OPENMETRICS);
        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(answer.headers().firstValue("Allow")).contains("GET, HEAD");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/metrics/", "/metricsx", "/x/metrics", "/metrics/../x"})
    void shouldKnowOnePathOnly(String path) throws Exception {
        sink.publish(snapshot(2));
        assertThat(ask("GET", path, OPENMETRICS).statusCode()).isEqualTo(404);
        assertThat(ask("GET", "/metrics?x=1", OPENMETRICS).statusCode()).isEqualTo(200);
    }

    @Test
    void shouldNotShowWhatIsOutOfDate() throws Exception {
        assertThat(sink.listening()).as("nothing to show yet").isEmpty();
        sink.publish(snapshot(2));
        now.addAndGet(TimeUnit.SECONDS.toNanos(3 * INTERVAL_SECONDS));
        assertThat(get().statusCode()).isEqualTo(200);
        now.incrementAndGet();
        HttpResponse<byte[]> answer = get();
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(new String(answer.body(), StandardCharsets.UTF_8))
                .doesNotContain("magnet_")
                .endsWith("\n");
        sink.publish(snapshot(3));
        assertThat(events(get())).isEqualTo("3.0");
    }

    /** Whether the other side has closed it; what it had not accepted by then it resets. */
    private static boolean ends(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    /** A connection that has had an answer: one that is just being accepted when it closes the JDK's server forgets. */
    private Socket answered(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        sockets.add(socket);
        socket.setSoTimeout((int) TimeUnit.MINUTES.toMillis(2));
        socket.getOutputStream().write("HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        StringBuilder answer = new StringBuilder();
        while (answer.indexOf("\r\n\r\n") < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as("what comes after: " + answer).isNotNegative();
            answer.append((char) next);
        }
        return socket;
    }

    @Test
    void shouldStopAnsweringWhenItIsClosed() throws Exception {
        sink.publish(snapshot(2));
        int port = sink.listening().orElseThrow().getPort();
        Socket open = answered(port);
        sink.close();
        assertThat(ends(open)).isTrue();
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port))
                .isInstanceOf(ConnectException.class);
        sink = sink("127.0.0.1", port);
        sink.publish(snapshot(4));
        assertThat(events(get())).as("the port is free again").isEqualTo("4.0");
    }

    @Test
    void shouldSayOnceThatThePortIsTakenAndListenWhenItIsFree() throws Exception {
        try (LogLines log = new LogLines(SinkRunner.class)) {
            int port;
            ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            try (other) {
                port = other.getLocalPort();
                sink = sink("127.0.0.1", port);
                assertThatThrownBy(() -> sink.publish(snapshot(1))).isInstanceOf(IOException.class);
            }
            sink.publish(snapshot(2));
            assertThat(events(get())).isEqualTo("2.0");

            OpenMetricsSink second = sink("127.0.0.1", port);
            try (SinkRunner runner = new SinkRunner(second, () -> {}, AgentHealth.unheard())) {
                runner.start();
                for (int failed = 1; failed <= 3; failed++) {
                    runner.offer(snapshot(failed));
                    int expected = failed;
                    await().until(() -> runner.failed() == expected);
                }
            }
            assertThat(log.lines())
                    .containsExactly("WARN openmetrics: cannot listen at http://127.0.0.1:" + port
                            + "/metrics: Address already in use; end who does, or give another port as openmetrics in"
                            + " [publish] (said once, counted from now on)");
        }
    }

    /** The JDK's server would spin: the connection that it cannot take stays where it is. */
    @Test
    void shouldNotListenWhileNoConnectionCouldBeTaken() throws Exception {
        sink.publish(snapshot(1));
        InetSocketAddress address = sink.listening().orElseThrow();
        filesOpen = true;
        assertThatThrownBy(() -> sink.publish(snapshot(2)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Too many open files")
                .hasMessageContaining("LimitNOFILE");
        assertThat(sink.listening()).isEmpty();
        assertThatThrownBy(() -> new Socket(address.getAddress(), address.getPort()))
                .isInstanceOf(IOException.class);
        filesOpen = false;
        sink.publish(snapshot(3));
        assertThat(sink.listening()).isPresent();
    }

    @Test
    void shouldAnswerOthersWhileClientsHang() throws Exception {
        sink.publish(snapshot(1));
        for (int i = 0; i < 10; i++) {
            hang("");
            hang("GET /met");
            hang("GET /metrics HTTP/1.1\r\nHost: x\r\n");
            hang("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nx");
        }
        long before = System.nanoTime();
        for (int number = 2; number <= 20; number++) {
            sink.publish(snapshot(number));
            assertThat(events(get())).isEqualByComparingTo(new BigDecimal(number));
        }
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(60));
        for (Socket socket : sockets) {
            socket.setSoTimeout(60_000);
            InputStream in = socket.getInputStream();
            assertThat(in.readAllBytes()).as("closed by the server").isNotNull();
        }
    }

    @Test
    void shouldHoldNoMoreConnectionsThanItMay() throws Exception {
        sink.publish(snapshot(1));
        for (int i = 0; i < 2 * PageServer.CONNECTIONS; i++) {
            hang("GET /metrics HTTP/1.1\r\n");
        }
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith("magnet-http-")))
                .hasSizeLessThanOrEqualTo(PageServer.CONNECTIONS);
        sink.publish(snapshot(2));
        await().atMost(Duration.ofSeconds(60))
                .ignoreExceptionsInstanceOf(IOException.class)
                .untilAsserted(() -> assertThat(events(get())).isEqualTo("2.0"));
    }

    /** Its buffers are full after some of these; what does not fit waits, on its own thread. */
    @Test
    void shouldBreakOffAndCountWhenAClientDoesNotTakeItsAnswers() throws Exception {
        sink.publish(snapshot(1));
        Socket socket = hang("");
        socket.setSoTimeout(60_000);
        byte[] request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        Thread asks = new Thread(() -> {
            try {
                while (true) {
                    socket.getOutputStream().write(request);
                }
            } catch (IOException e) {
                // Closed by the server.
            }
        });
        asks.start();
        await().atMost(Duration.ofSeconds(90)).until(() -> sink.errors() == 1);
        sink.publish(snapshot(2));
        assertThat(events(get())).isEqualTo("2.0");
        asks.join();
    }

    private Socket hang(String half) throws IOException {
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), sink.listening().orElseThrow().getPort());
        sockets.add(socket);
        socket.getOutputStream().write(half.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }
}
