// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import magnet.agent.DistinctErrors;
import magnet.agent.Tasks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers GET and HEAD of {@value #PATH} on one address, by the JDK's HTTP server.
 *
 * <p>A client may be slow or hang: a request may take {@value #REQUEST_SECONDS} s, an answer {@value #ANSWER_SECONDS} s,
 * then its connection is closed. Each connection can hold up one thread, there are as many threads as connections, and
 * more than {@value #CONNECTIONS} are closed at once. Thread-safe.
 */
final class PageServer implements AutoCloseable {
    static final String PATH = "/metrics";
    static final int REQUEST_SECONDS = 5;
    static final int ANSWER_SECONDS = 10;
    static final int CONNECTIONS = 64;

    private static final Logger LOGGER = LoggerFactory.getLogger(PageServer.class);
    private static final int BACKLOG = 16;
    private static final long THREAD_IDLE_SECONDS = 10;
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    static {
        // The server has no other way of being told; it reads them when it is first used.
        limit("sun.net.httpserver.maxReqTime", REQUEST_SECONDS);
        limit("sun.net.httpserver.maxRspTime", ANSWER_SECONDS);
        limit("jdk.httpserver.maxConnections", CONNECTIONS);
    }

    private final HttpServer server;
    private final ThreadPoolExecutor threads;
    private final Supplier<Optional<MetricsPage>> pages;
    private final AtomicLong brokenOff = new AtomicLong();
    private final DistinctErrors errors = new DistinctErrors(LOGGER);

    private PageServer(HttpServer server, ThreadPoolExecutor threads, Supplier<Optional<MetricsPage>> pages) {
        this.server = server;
        this.threads = threads;
        this.pages = pages;
    }

    /**
     * Begins to answer.
     *
     * @param address where; port 0 for any
     * @param pages the page to answer with, as long as it is true
     * @throws IOException if nobody can listen there now
     */
    static PageServer open(InetSocketAddress address, Supplier<Optional<MetricsPage>> pages) throws IOException {
        HttpServer server = HttpServer.create(address, BACKLOG);
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                0,
                CONNECTIONS,
                THREAD_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                Tasks.pool("magnet-http-"));
        PageServer opened = new PageServer(server, threads, pages);
        server.setExecutor(threads);
        server.createContext("/", opened::answer);
        server.start();
        return opened;
    }

    /** Where it listens. */
    InetSocketAddress address() {
        return server.getAddress();
    }

    /** Answers that a client did not take. */
    long brokenOff() {
        return brokenOff.get();
    }

    /** Closes all connections, and gives the port back. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) {
        try (exchange) {
            String method = exchange.getRequestMethod();
            Optional<MetricsPage> page = pages.get();
            if (!PATH.equals(exchange.getRequestURI().getPath())) {
                refuse(exchange, 404, "The metrics are at " + PATH + ".");
            } else if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                refuse(exchange, 405, "Only GET and HEAD are allowed.");
            } else if (page.isEmpty()) {
                refuse(exchange, 503, "magnetd has nothing to say that is not out of date.");
            } else {
                answer(exchange, page.orElseThrow());
            }
        } catch (IOException e) {
            brokenOff.incrementAndGet();
            LOGGER.debug("a client did not take its answer: {}", e.toString());
        } catch (RuntimeException | Error e) {
            brokenOff.incrementAndGet();
            if (errors.record("an answer failed: " + e)) {
                LOGGER.debug("the first of them", e);
            }
        }
    }

    private static void answer(HttpExchange exchange, MetricsPage page) throws IOException {
        List<String> accept = exchange.getRequestHeaders().get("Accept");
        PageFormat format = PageFormat.accepted(accept == null ? List.of() : accept);
        Headers headers = exchange.getResponseHeaders();
        headers.set("Vary", "Accept");
        headers.set("Last-Modified", HTTP_DATE.format(page.snapshot().taken()));
        send(exchange, 200, format.contentType(), page.bytes(format));
    }

    private static void refuse(HttpExchange exchange, int status, String why) throws IOException {
        send(exchange, status, TEXT, (why + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set("Cache-Control", "no-store");
        if (exchange.getRequestMethod().equals("HEAD")) {
            headers.set("Content-Length", String.valueOf(body.length));
            exchange.sendResponseHeaders(status, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static void limit(String property, int value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, String.valueOf(value));
        }
    }
}
