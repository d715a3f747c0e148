// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one client has created, and the answers that it gets. Handlers have numbers from 1 on, which are the client's own;
 * they end with its connection. For the server's thread.
 */
final class Session implements AutoCloseable {
    /** Most bytes of a reply, its length included. */
    static final int REPLY_BYTES = 8_192;

    static final int HANDLERS_MAX = 16;
    static final int FILTERS_MAX = 16;

    private static final Logger LOGGER = LoggerFactory.getLogger(Session.class);
    private static final int GOOD = 0;
    private static final int REFUSED = 1;

    /**
     * What sessions share.
     *
     * @param live handlers that are started
     * @param clock the records' timer
     * @param cpus CPUs of the machine
     * @param layout of clients' structs
     * @param metrics what was published last; empty if it is too old
     */
    record Shared(
            LiveHandlers live,
            TickClock clock,
            int cpus,
            StructLayout layout,
            Supplier<Optional<MetricSnapshot>> metrics) {}

    private final Shared shared;
    private final boolean isOfGroup;
    private final SortedMap<Integer, ClientHandler> handlers = new TreeMap<>();
    private boolean over;

    /**
     * @param isOfGroup whether the client may see what the service's group may; others get MUSE's four events only
     */
    Session(Shared shared, boolean isOfGroup) {
        this.shared = shared;
        this.isOfGroup = isOfGroup;
    }

    /** Whether the client has created something that is still there. */
    boolean hasHandlers() {
        return !handlers.isEmpty();
    }

    /** Whether the client has said that it quits. */
    boolean isOver() {
        return over;
    }

    /**
     * Answers a request: u32 length of what follows, u8 error (0 it is done, 1 it is refused), data. A refusal's data are
     * its reason; that of CREATE begins with the number 0.
     *
     * @param frame what followed the request's length
     * @param into has room for {@link #REPLY_BYTES}; the answer is put at its position
     */
    void answer(ByteBuffer frame, ByteBuffer into) {
        boolean creates = frame.hasRemaining() && Opcode.CREATE.is(Byte.toUnsignedInt(frame.get(frame.position())));
        int start = into.position();
        into.putInt(0).put((byte) GOOD);
        try {
            answer(Request.parse(frame), into);
        } catch (RefusedException e) {
            LOGGER.debug("muse: refused: {}", e.getMessage());
            into.position(start + Integer.BYTES).put((byte) REFUSED);
            if (creates) {
                into.put((byte) 0);
            }
            text(e.getMessage(), into);
        }
        into.putInt(start, into.position() - start - Integer.BYTES);
    }

    private void answer(Request request, ByteBuffer into) throws RefusedException {
        switch (request.opcode()) {
            case HELP -> text(Help.about(request.name(), shared.metrics().get()), into);
            case CREATE -> into.put((byte) create(request));
            case QUERY_MAPPER -> metric(request.name(), into);
            case QUERY_HANDLER -> query(request, into);
            case DESTROY -> {
                shared.live().stop(handler(request));
                handlers.remove(request.handler());
            }
            case START -> shared.live().start(handler(request));
            case STOP -> shared.live().stop(handler(request));
            case RESET_FILTERS -> {
                ClientHandler handler = handler(request);
                shared.live().change(handler, handler.filters()::clear);
            }
            case ADD_FILTER -> addFilter(request);
            case GET -> Help.list(request.options(), handlers, shared.metrics().get(), into);
            case QUIT -> over = true;
        }
    }

    private int create(Request request) throws RefusedException {
        if (handlers.size() == HANDLERS_MAX) {
            throw new RefusedException("a client has at most " + HANDLERS_MAX + " handlers");
        }
        ClientHandler handler = make(request.name(), request.options());
        int number = 1;
        while (handlers.containsKey(number)) {
            number++;
        }
        handlers.put(number, handler);
        return number;
    }

    private ClientHandler make(String name, ByteBuffer options) throws RefusedException {
        for (ClientHandler.Kind kind : ClientHandler.Kind.values()) {
            if (kind.label().equals(name)) {
                return make(kind, options);
            }
        }
        throw new RefusedException("there is no handler of that name; GET 0 lists them");
    }

    private ClientHandler make(ClientHandler.Kind kind, ByteBuffer options) throws RefusedException {
        return switch (kind) {
            case COUNT -> {
                OptionReader.noFile(options);
                yield new CountHandler();
            }
            case SCHEDULING ->
                new SchedulingHandler(
                        OptionReader.process(options),
                        shared.cpus(),
                        shared.clock().ticksPerSecond(),
                        shared.layout());
            case BANDWIDTH, TCP_BANDWIDTH ->
                new BandwidthHandler(kind, OptionReader.blockSeconds(options), shared.clock());
            case ACCUMULATOR -> new AccumulatorHandler();
        };
    }

    private ClientHandler handler(Request request) throws RefusedException {
        ClientHandler handler = handlers.get(request.handler());
        if (handler == null) {
            throw new RefusedException("there is no handler " + request.handler() + " of this connection");
        }
        return handler;
    }

    private void query(Request request, ByteBuffer into) throws RefusedException {
        ClientHandler handler = handler(request);
        if (handler.isStarted()) {
            shared.live().readAll();
        }
        if (handler.broken().isPresent()) {
            throw new RefusedException(
                    "its events have ended: " + handler.broken().orElseThrow() + "; START lets it go on");
        }
        handler.reply(into, shared.clock().now());
    }

    private void addFilter(Request request) throws RefusedException {
        ClientHandler handler = handler(request);
        if (handler.filters().size() == FILTERS_MAX) {
            throw new RefusedException("a handler has at most " + FILTERS_MAX + " filters");
        }
        EventFilter filter = OptionReader.filter(request.name(), request.options());
        if (!isOfGroup && filter.event() != EventFilter.ANY && !MuseEvent.isNamed((int) filter.event())) {
            throw new RefusedException(
                    "only 3, 4, 258 and 259 are for clients that come by the network; use the socket");
        }
        if (handler.filters().contains(filter)) {
            return;
        }
        shared.live().change(handler, () -> handler.filters().add(filter));
    }

    /** A metric that is published: a number as double, a text with NUL. */
    private void metric(String name, ByteBuffer into) throws RefusedException {
        Optional<MetricSnapshot> snapshot = shared.metrics().get();
        for (int i = 0; snapshot.isPresent() && i < snapshot.orElseThrow().size(); i++) {
            Metric metric = snapshot.orElseThrow().metric(i);
            if (!metric.name().equals(name)) {
                continue;
            }
            if (Help.isText(metric)) {
                text(snapshot.orElseThrow().text(i), into);
            } else {
                into.putDouble(snapshot.orElseThrow().value(i));
            }
            return;
        }
        throw new RefusedException("no metric of that name is published; GET 2 lists them");
    }

    private static void text(String text, ByteBuffer into) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        into.put(bytes, 0, Math.min(bytes.length, into.remaining() - 1)).put((byte) 0);
    }

    @Override
    public void close() {
        for (Map.Entry<Integer, ClientHandler> each : handlers.entrySet()) {
            shared.live().stop(each.getValue());
        }
        handlers.clear();
    }
}
