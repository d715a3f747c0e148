// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import magnet.agent.DistinctErrors;
import magnet.agent.Tasks;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the page of a view and its answers on the loopback address, by the JDK's HTTP server.
 *
 * <p>Every address begins with a random token of 128 bits, which is compared in constant time, so other users of the machine get
 * nothing. The header {@code Host} has to name the loopback address and the port: so no page of another site gets anything by
 * giving its own name this address. Only GET is answered. The page may load nothing from elsewhere.
 *
 * <p>Threads: {@value #THREADS} of the server; may be closed by any.
 */
public final class ViewServer implements AutoCloseable {
    private static final int THREADS = 4;
    private static final int BACKLOG = 16;
    private static final int TOKEN_BYTES = 16;
    private static final Logger LOGGER = LoggerFactory.getLogger(ViewServer.class);

    /** The files of the page, and what they are. */
    private static final Map<String, String> FILES = Map.of(
            "", "text/html; charset=utf-8",
            "view.css", "text/css; charset=utf-8",
            "view.js", "text/javascript; charset=utf-8",
            "lanes.js", "text/javascript; charset=utf-8",
            "panel.js", "text/javascript; charset=utf-8",
            "server.js", "text/javascript; charset=utf-8",
            "units.js", "text/javascript; charset=utf-8");

    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:;"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final HttpServer server;
    private final ThreadPoolExecutor threads;
    private final Answers answers;
    private final byte[] token;
    private final DistinctErrors errors = new DistinctErrors(LOGGER);

    private ViewServer(HttpServer server, ThreadPoolExecutor threads, View view, String token) {
        this.server = server;
        this.threads = threads;
        this.answers = new Answers(view);
        this.token = token.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Begins to serve.
     *
     * @param port 0 for any that is free
     * @throws IOException if nobody can listen there now
     */
    public static ViewServer open(int port, View view) throws IOException {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        HttpServer server = HttpServer.create(
                new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), BACKLOG);
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                THREADS, THREADS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Tasks.pool("magnet-view-"));
        ViewServer opened = new ViewServer(server, threads, view, HexFormat.of().formatHex(random));
        server.setExecutor(threads);
        server.createContext("/", opened::answer);
        server.start();
        return opened;
    }

    /** Where the page is. */
    public String url() {
        return "http://" + authority() + "/" + new String(token, StandardCharsets.US_ASCII) + "/";
    }

    private String authority() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) {
        try (exchange) {
            String what = asked(exchange);
            if (what == null) {
                send(exchange, 404, text("There is nothing here."));
            } else if (!exchange.getRequestMethod().equals("GET")) {
                exchange.getResponseHeaders().set("Allow", "GET");
                send(exchange, 405, text("Only GET is allowed."));
            } else {
                answer(exchange, what);
            }
        } catch (IOException e) {
            LOGGER.debug("a client did not take its answer: {}", e.toString());
        } catch (RuntimeException | Error e) {
            if (errors.record("an answer failed: " + e)) {
                LOGGER.debug("the first of them", e);
            }
        }
    }

    /** What is behind the token in the address; null if there is no token, or if it is asked for by another name. */
    private @Nullable String asked(HttpExchange exchange) {
        String host = exchange.getRequestHeaders().getFirst("Host");
        String path = exchange.getRequestURI().getPath();
        if (host == null
                || !(host.equals(authority())
                        || host.equals("localhost:" + server.getAddress().getPort()))
                || path.length() < token.length + 2) {
            return null;
        }
        byte[] given = path.substring(1, token.length + 1).getBytes(StandardCharsets.UTF_8);
        boolean isRight = MessageDigest.isEqual(given, token);
        return isRight && path.charAt(token.length + 1) == '/' ? path.substring(token.length + 2) : null;
    }

    private void answer(HttpExchange exchange, String what) throws IOException {
        Answer file = file(what);
        if (file != null) {
            send(exchange, 200, file);
            return;
        }
        try {
            Answer answer = answers.to(what, Query.of(exchange.getRequestURI().getRawQuery()));
            send(exchange, answer == null ? 404 : 200, answer == null ? text("There is no " + what + ".") : answer);
        } catch (BadRequestException e) {
            send(exchange, 400, text(String.valueOf(e.getMessage())));
        } catch (RuntimeException | Error e) {
            send(exchange, 500, text("The answer failed; magnet view says more where it was started."));
            throw e;
        }
    }

    private static Answer text(String line) {
        return new Answer("text/plain; charset=utf-8", (line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable Answer file(String what) throws IOException {
        String type = FILES.get(what);
        if (type == null) {
            return null;
        }
        String name = what.isEmpty() ? "view.html" : what;
        try (InputStream in = ViewServer.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("magnet-cluster.jar has no " + name);
            }
            return new Answer(type, in.readAllBytes());
        }
    }

    private static void send(HttpExchange exchange, int status, Answer answer) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", answer.type());
        headers.set("Cache-Control", "no-store");
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        exchange.sendResponseHeaders(status, answer.body().length == 0 ? -1 : answer.body().length);
        if (answer.body().length > 0) {
            exchange.getResponseBody().write(answer.body());
        }
    }
}
