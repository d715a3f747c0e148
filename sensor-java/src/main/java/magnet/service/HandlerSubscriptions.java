// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import magnet.control.HitCounts;
import magnet.handler.HandlerException;
import magnet.handler.OwnHandler;
import magnet.handler.PointFormats;
import magnet.measure.PointException;
import magnet.record.EventType;
import magnet.spi.Point;
import magnet.trace.EventFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What own handlers have subscribed, each point once, and where the rules of each act. A subscription has one chain of
 * rules, so that rules are given to the kernel where all handlers of the point have the same ones, as they have if there
 * is one handler; otherwise the kernel logs all events and each handler's rules are asked in the service. Dynamic points
 * belong to their handler alone. For one thread.
 */
final class HandlerSubscriptions {
    private static final Logger LOGGER = LoggerFactory.getLogger(HandlerSubscriptions.class);
    /** Room for the headers that rules can ask for, some extension headers of IPv6 included. */
    private static final int HEADER_BYTES = 128;

    /** A handler that uses a point. */
    private record User(OwnHandler handler, int index) {}

    /** A point that is subscribed. */
    private static final class Shared {
        final long id;
        final int event;
        String rules;
        int snapBytes;
        final List<User> users = new ArrayList<>();

        Shared(long id, int event, String rules, int snapBytes) {
            this.id = id;
            this.event = event;
            this.rules = rules;
            this.snapBytes = snapBytes;
        }
    }

    /**
     * The final counters of a subscription.
     *
     * @param event id of its events
     * @param total over all CPUs
     */
    record Ended(int event, HitCounts total) {}

    private final HandlerKernel kernel;
    private final Map<String, Shared> byPoint = new LinkedHashMap<>();
    private final Map<String, Ended> ended = new LinkedHashMap<>();
    private long missed;

    HandlerSubscriptions(HandlerKernel kernel) {
        this.kernel = kernel;
    }

    /**
     * The format of a handler's point, which is inserted if it is dynamic.
     *
     * @throws HandlerException if the kernel refuses it
     */
    EventFormat format(String handler, int index, Point point) throws HandlerException {
        if (!PointFormats.isDynamic(point)) {
            return PointFormats.of(point, 0, "");
        }
        String name = name(handler, index, point);
        try {
            return PointFormats.of(point, kernel.insert(name, point.point()), name);
        } catch (PointException e) {
            throw new HandlerException("point '" + point.point() + "': " + e.getMessage(), e);
        }
    }

    /** Removes the points that were inserted for a handler; of one that there may not be. */
    void remove(String handler, List<Point> points) {
        for (int i = 0; i < points.size(); i++) {
            if (PointFormats.isDynamic(points.get(i))) {
                kernel.remove(name(handler, i, points.get(i)));
            }
        }
    }

    /**
     * Subscribes all points of a handler, or none.
     *
     * @throws HandlerException if the kernel refuses one
     */
    void add(OwnHandler handler) throws HandlerException {
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

    private void add(OwnHandler handler, int index) throws PointException, HandlerException {
        Point point = handler.point(index);
        String name = name(handler.name(), index, point);
        String rules = point.where().strip();
        User user = new User(handler, index);
        Shared shared = byPoint.get(name);
        if (shared == null) {
            shared = subscribe(name, rules, user);
            byPoint.put(name, shared);
        } else if (!shared.rules.equals(rules)) {
            share(shared, user);
        }
        shared.users.add(user);
    }

    private Shared subscribe(String name, String rules, User user) throws PointException, HandlerException {
        int event = user.handler.format(user.index).id();
        try {
            return new Shared(kernel.subscribe(name, rules, 0), event, rules, 0);
        } catch (PointException e) {
            if (rules.isEmpty()) {
                throw e;
            }
            filterHere(user);
            int snapBytes = user.handler.asksPacket(user.index) ? HEADER_BYTES : 0;
            Shared all = new Shared(kernel.subscribe(name, "", snapBytes), event, "", snapBytes);
            LOGGER.info(
                    "handler {}: the kernel does not take the rules '{}': {}",
                    user.handler.name(),
                    rules,
                    e.getMessage());
            return all;
        }
    }

    /** From now on the kernel logs all events of the point; each handler's own rules are asked here, those that are on first. */
    private void share(Shared shared, User another) throws PointException, HandlerException {
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
            kernel.loosen(shared.id, snapBytes);
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

    private void filterHere(User user) throws HandlerException {
        user.handler.filterHere(user.index, kernel.facts().ticksPerMilli());
    }

    /** Ends what only this handler has subscribed, and keeps the final counters. */
    void end(OwnHandler handler) {
        for (String name : List.copyOf(byPoint.keySet())) {
            Shared shared = byPoint.get(name);
            if (shared != null && shared.users.removeIf(user -> user.handler == handler) && shared.users.isEmpty()) {
                end(name, shared);
            }
        }
    }

    /** Ends all. */
    void endAll() {
        List.copyOf(byPoint.entrySet()).forEach(entry -> end(entry.getKey(), entry.getValue()));
    }

    private void end(String name, Shared shared) {
        byPoint.remove(name);
        HitCounts total = kernel.unsubscribe(shared.id).stream().reduce(HitCounts.NONE, HitCounts::plus);
        ended.merge(
                name,
                new Ended(shared.event, total),
                (before, now) -> new Ended(now.event, before.total.plus(now.total)));
    }

    /** Hits since start that probes missed: no record tells of them. */
    long missed() {
        Set<Long> mayMiss = byPoint.values().stream()
                .filter(shared -> shared.event == EventType.MAJOR_FAULT.id() || EventType.ofId(shared.event) == null)
                .map(shared -> shared.id)
                .collect(Collectors.toSet());
        long now = mayMiss.isEmpty() ? 0 : kernel.missed(mayMiss).orElse(0);
        long before =
                ended.values().stream().mapToLong(each -> each.total.missed()).sum();
        missed = Math.max(missed, before + now);
        return missed;
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
        ended.forEach((name, end) -> {
            Map<String, Object> subscription = new LinkedHashMap<>();
            subscription.put("point", name);
            subscription.put("event", end.event);
            subscription.put("hits", end.total.hits());
            subscription.put("committed", end.total.committed());
            subscription.put("delivered", delivered.applyAsLong(end.event));
            subscription.put("filtered", end.total.filtered());
            subscription.put("sampled_out", end.total.sampledOut());
            subscription.put("dropped", end.total.dropped());
            subscription.put("missed", end.total.missed());
            report.add(subscription);
        });
        return report;
    }
}
