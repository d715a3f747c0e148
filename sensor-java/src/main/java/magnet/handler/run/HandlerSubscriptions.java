// SPDX-License-Identifier: Apache-2.0
package magnet.handler.run;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import magnet.control.HitCounts;
import magnet.control.Selection;
import magnet.handler.HandlerException;
import magnet.handler.OwnHandler;
import magnet.handler.PointFormats;
import magnet.measure.MeasuringCore;
import magnet.measure.PointException;
import magnet.measure.Subscriptions;
import magnet.record.EventType;
import magnet.spi.Point;
import magnet.trace.EventFormat;
import magnet.trace.RuleException;
import magnet.trace.RuleWords;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What own handlers have subscribed, each point once, and where the rules of each act. A subscription has one chain of
 * rules, so that rules are given to the kernel where all handlers of the point have the same ones, as they have if there
 * is one handler; otherwise the kernel logs all events and each handler's rules are asked in the service. Dynamic points
 * belong to their handler alone. All methods but {@link #missed} are for one thread, the reader's.
 */
final class HandlerSubscriptions {
    private static final Logger LOGGER = LoggerFactory.getLogger(HandlerSubscriptions.class);
    /** Room for the headers that rules can ask for, some extension headers of IPv6 included. */
    private static final int HEADER_BYTES = 128;

    /** A handler that uses a point. */
    private record User(OwnHandler handler, int index) {}

    /** A point that is subscribed. */
    private static final class Shared {
        String rules;
        int snapBytes;
        final List<User> users = new ArrayList<>();

        Shared(String rules, int snapBytes) {
            this.rules = rules;
            this.snapBytes = snapBytes;
        }
    }

    private final HandlerKernel kernel;
    private final MeasuringCore core;
    private final Subscriptions subscriptions;
    private final Map<String, Shared> byPoint = new LinkedHashMap<>();
    /** Ids by points; also for the conductor's thread. */
    private final Map<String, Integer> events = new ConcurrentHashMap<>();

    /** For the conductor's thread. */
    private long missed;

    /**
     * None yet.
     *
     * @param core goes on while the kernel is asked
     */
    HandlerSubscriptions(HandlerKernel kernel, MeasuringCore core) {
        this.kernel = kernel;
        this.core = core;
        this.subscriptions = new Subscriptions(kernel);
    }

    /** What asks the kernel. */
    @FunctionalInterface
    private interface Request<T> {
        T make() throws PointException, IOException;
    }

    /** Nobody waits for the kernel without reading. */
    private <T> T ask(Request<T> request) throws PointException, IOException {
        try {
            return core.meanwhile(() -> {
                T result = request.make();
                core.answered();
                return result;
            });
        } catch (IOException e) {
            if (e.getCause() instanceof PointException refused) {
                throw refused;
            }
            throw e;
        }
    }

    /**
     * The format of a handler's point, which is inserted if it is dynamic.
     *
     * @throws HandlerException if the kernel refuses it
     */
    EventFormat format(String handler, int index, Point point) throws HandlerException, IOException {
        if (!PointFormats.isDynamic(point)) {
            return PointFormats.of(point, 0, "");
        }
        String name = name(handler, index, point);
        try {
            return PointFormats.of(point, ask(() -> kernel.insert(name, point.point())), name);
        } catch (PointException e) {
            throw new HandlerException("point '" + point.point() + "': " + e.getMessage(), e);
        }
    }

    /** Removes the points that were inserted for a handler; of one that there may not be. */
    void remove(String handler, List<Point> points) throws IOException {
        core.meanwhile(() -> {
            for (int i = 0; i < points.size(); i++) {
                if (PointFormats.isDynamic(points.get(i))) {
                    kernel.remove(name(handler, i, points.get(i)));
                }
            }
            return true;
        });
    }

    /**
     * Subscribes all points of a handler, or none.
     *
     * @throws HandlerException if the kernel refuses one
     */
    void add(OwnHandler handler) throws HandlerException, IOException {
        // What ends an interval before what begins it, so that no begin lacks its end.
        for (int i = handler.points() - 1; i >= 0; i--) {
            try {
                add(handler, i);
            } catch (PointException e) {
                end(handler);
                throw new HandlerException("point '" + handler.point(i).point() + "': " + e.getMessage(), e);
            } catch (HandlerException e) {
                end(handler);
                throw e;
            }
        }
    }

    private void add(OwnHandler handler, int index) throws PointException, HandlerException, IOException {
        Point point = handler.point(index);
        String name = name(handler.name(), index, point);
        String rules = point.where().strip();
        User user = new User(handler, index);
        Shared shared = byPoint.get(name);
        if (shared == null) {
            shared = subscribe(name, rules, user);
            byPoint.put(name, shared);
            events.put(name, handler.format(index).id());
        } else if (!shared.rules.equals(rules)) {
            share(name, shared, user);
        }
        shared.users.add(user);
    }

    private Shared subscribe(String name, String rules, User user)
            throws PointException, HandlerException, IOException {
        try {
            String numbered = numbered(name, rules);
            ask(() -> subscriptions.add(name, rules.isEmpty() ? Selection.NONE : Selection.NONE.withRules(numbered)));
            return new Shared(rules, 0);
        } catch (PointException e) {
            if (rules.isEmpty()) {
                throw e;
            }
            filterHere(user);
            int snapBytes = user.handler.asksPacket(user.index) ? HEADER_BYTES : 0;
            ask(() -> subscriptions.add(name, withPacket(Selection.NONE, snapBytes)));
            LOGGER.info(
                    "handler {}: the kernel does not take the rules '{}': {}",
                    user.handler.name(),
                    rules,
                    e.getMessage());
            return new Shared("", snapBytes);
        }
    }

    private static Selection withPacket(Selection selection, int snapBytes) {
        return snapBytes == 0 ? selection : selection.withSnapBytes(snapBytes);
    }

    /** From now on the kernel logs all events of the point; each handler's own rules are asked here, those that are on first. */
    private void share(String name, Shared shared, User another) throws PointException, HandlerException, IOException {
        filterHere(another);
        boolean packets = another.handler.asksPacket(another.index);
        if (!shared.rules.isEmpty()) {
            for (User user : shared.users) {
                filterHere(user);
                packets |= user.handler.asksPacket(user.index);
            }
        }
        int snapBytes = packets ? HEADER_BYTES : shared.snapBytes;
        if (!shared.rules.isEmpty() || snapBytes != shared.snapBytes) {
            ask(() -> {
                subscriptions.change(name, withPacket(Selection.NONE.withRules(""), snapBytes));
                return true;
            });
        }
        if (!shared.rules.isEmpty()) {
            LOGGER.info(
                    "handler {} shares point {}, so that the rules '{}' of {} are asked in the service from now on",
                    another.handler.name(),
                    another.handler.point(another.index).point(),
                    shared.rules,
                    shared.users.stream().map(user -> user.handler.name()).collect(Collectors.joining(", ")));
        }
        shared.rules = "";
        shared.snapBytes = snapBytes;
    }

    private void filterHere(User user) throws HandlerException, IOException {
        user.handler.filterHere(
                user.index,
                kernel.facts().ticksPerMilli(),
                words(user.handler.point(user.index).where()));
    }

    /** The kernel takes numbers. */
    private String numbered(String point, String rules) throws HandlerException, IOException {
        try {
            return words(rules).numbered(point, rules);
        } catch (RuleException e) {
            throw new HandlerException("rules '" + rules + "': " + e.getMessage(), e);
        }
    }

    private RuleWords words(String rules) throws IOException {
        return RuleWords.mayBeIn(rules) ? RuleWords.of(kernel.words()) : RuleWords.ofAnyKernel();
    }

    /** Ends what only this handler has subscribed, and keeps the final counters. */
    void end(OwnHandler handler) throws IOException {
        List<String> unused = takeUnused(List.of(handler));
        if (!unused.isEmpty()) {
            core.meanwhile(() -> end(unused));
        }
    }

    /** The same of several, which get all that was logged until then. */
    void letGo(List<OwnHandler> handlers) throws IOException {
        List<String> unused = takeUnused(handlers);
        core.letGo(() -> end(unused));
    }

    private List<String> takeUnused(List<OwnHandler> leaving) {
        List<String> unused = new ArrayList<>();
        byPoint.forEach((name, shared) -> {
            if (shared.users.removeIf(user -> leaving.contains(user.handler)) && shared.users.isEmpty()) {
                unused.add(name);
            }
        });
        unused.forEach(byPoint::remove);
        return unused;
    }

    private boolean end(Collection<String> points) {
        for (String point : points) {
            subscriptions.end(point);
            core.answered();
        }
        return true;
    }

    /** Ends all, and hands on what was logged until then. */
    void endAll() throws IOException {
        byPoint.clear();
        core.end(subscriptions::endAll);
    }

    /** Hits since start that probes missed: no record tells of them. For the conductor's thread. */
    long missed() {
        missed = Math.max(missed, subscriptions.missed(this::mayMiss));
        return missed;
    }

    private boolean mayMiss(String point) {
        Integer event = events.get(point);
        return event != null && (event == EventType.MAJOR_FAULT.id() || EventType.ofId(event) == null);
    }

    /** The name of a handler's point in the kernel. */
    static String name(String handler, int index, Point point) {
        return PointFormats.isDynamic(point) ? "magnetd_" + handler + "_" + index : point.point();
    }

    /** Where the rules of a handler's point act: {@code kernel} or {@code service}; empty if it has none. */
    static Optional<String> place(OwnHandler handler, int index) {
        if (handler.point(index).where().isBlank()) {
            return Optional.empty();
        }
        return Optional.of(handler.isFilteredHere(index) ? "service" : "kernel");
    }

    /**
     * The subscriptions that have ended, for the report.
     *
     * @param delivered events of an id that arrived
     */
    List<Map<String, Object>> report(ToLongFunction<Integer> delivered) {
        List<Map<String, Object>> report = new ArrayList<>();
        subscriptions.finals().keySet().forEach(name -> {
            HitCounts total = subscriptions.of(name);
            int event = events.getOrDefault(name, 0);
            Map<String, Object> subscription = new LinkedHashMap<>();
            subscription.put("point", name);
            subscription.put("event", event);
            subscription.put("hits", total.hits());
            subscription.put("committed", total.committed());
            subscription.put("delivered", delivered.applyAsLong(event));
            subscription.put("filtered", total.filtered());
            subscription.put("sampled_out", total.sampledOut());
            subscription.put("dropped", total.dropped());
            subscription.put("missed", total.missed());
            report.add(subscription);
        });
        return report;
    }
}
