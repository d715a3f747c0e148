// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import magnet.control.HitCounts;
import magnet.control.Selection;
import magnet.metric.Metric;
import magnet.metric.Metrics;
import magnet.record.EventType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The points that who measures has subscribed into a buffer, and those that it could not. For one thread at a time: the
 * {@link Conductor}'s while there is one.
 */
public final class Points {
    private static final Logger LOGGER = LoggerFactory.getLogger(Points.class);

    /** Events that end an interval. They come first and go last, so that no begin ever lacks its end. */
    private static final Set<EventType> ENDS = EnumSet.of(
            EventType.SCHED_SWITCH,
            EventType.IRQ_HANDLER_EXIT,
            EventType.SOFTIRQ_EXIT,
            EventType.BLOCK_RQ_COMPLETE,
            EventType.MM_VMSCAN_DIRECT_RECLAIM_END,
            EventType.SYS_EXIT);

    /** Whose hits the kernel may miss without a record of that: it follows so many calls at once. */
    private static final EventType MAY_MISS = EventType.MAJOR_FAULT;

    private final Subscriptions subscriptions;
    private final Runnable answered;
    private final Consumer<String> news;
    private final Set<EventType> subscribed = EnumSet.noneOf(EventType.class);
    /** All that ever were, by their labels. */
    private final Map<String, EventType> events = new HashMap<>();

    private Map<String, String> failed = Map.of();
    /** What the log has said of points, with the reason: a level that comes and goes does not say it again. */
    private final Map<String, String> told = new HashMap<>();

    private long missed;

    /**
     * Points of which the log says what this kernel does not have.
     *
     * @param kernel the module
     * @param answered called after each request, which may take the kernel seconds
     */
    public Points(PointControl kernel, Runnable answered) {
        this(kernel, answered, LOGGER::warn);
    }

    /**
     * Points.
     *
     * @param kernel the module
     * @param answered called after each request, which may take the kernel seconds
     * @param news is told in a line what this kernel does not have
     */
    public Points(PointControl kernel, Runnable answered, Consumer<String> news) {
        this.subscriptions = new Subscriptions(kernel);
        this.answered = answered;
        this.news = news;
    }

    /**
     * Sees to it that what these metrics need and this kernel has is subscribed, and nothing else; says once, in one line
     * each, what it does not have.
     *
     * @param chosen what shall be published
     * @return the metrics of these that can be computed
     * @throws IOException if none can be subscribed for a reason that is not the point's
     */
    public List<Metric> use(List<Metric> chosen) throws IOException {
        Set<EventType> wanted = Metrics.eventsOf(chosen);
        endAllBut(wanted);
        subscribe(wanted);
        List<Metric> metrics = chosen.stream()
                .filter(metric -> metric.isComputableFrom(subscribed()))
                .toList();
        // What was subscribed for metrics that lack another point is of no use.
        endAllBut(Metrics.eventsOf(metrics));
        return metrics;
    }

    private void subscribe(Set<EventType> wanted) throws IOException {
        List<EventType> missing = new ArrayList<>(wanted);
        missing.removeAll(subscribed);
        missing.sort(subscriptionOrder());
        Map<String, String> failing = new LinkedHashMap<>();
        Map<String, String> refused = new LinkedHashMap<>();
        List<String> gaps = new ArrayList<>();
        for (EventType event : missing) {
            try {
                String lacks = subscriptions.add(event.label(), Selection.NONE);
                subscribed.add(event);
                events.put(event.label(), event);
                if (!lacks.isEmpty() && isNews(event, lacks)) {
                    gaps.add(event.label() + " (" + lacks + ")");
                }
            } catch (PointException e) {
                String why = String.valueOf(e.getMessage());
                failing.put(event.label(), why);
                if (isNews(event, why)) {
                    refused.put(event.label(), why);
                }
            }
            answered.run();
        }
        failed = failing;
        if (!refused.isEmpty()) {
            news.accept("running without " + refused.size() + " of " + wanted.size()
                    + (wanted.size() == 1 ? " point" : " points") + " and the metrics that need them: " + refused);
        }
        if (!gaps.isEmpty()) {
            news.accept("points that see only a part, because this kernel lacks functions: " + String.join(", ", gaps));
        }
    }

    /**
     * Subscribes points anew that tell what is there when somebody subscribes. What they would tell meanwhile is in that.
     *
     * @param telling in the order in which they are to tell it
     * @throws IOException as {@link #use} does
     */
    public void repeat(List<EventType> telling) throws IOException {
        for (EventType event : telling) {
            if (subscribed.remove(event)) {
                subscriptions.end(event.label());
                answered.run();
            }
        }
        Map<String, String> others = new LinkedHashMap<>(failed);
        telling.forEach(event -> others.remove(event.label()));
        for (EventType event : telling) {
            subscribe(EnumSet.of(event));
            others.putAll(failed);
        }
        failed = others;
    }

    /** Subscribes other points, too; those that metrics need already are not subscribed twice. */
    public void add(List<String> names) throws IOException, PointException {
        for (String name : names) {
            if (!subscriptions.points().contains(name)) {
                subscriptions.add(name, Selection.NONE);
                answered.run();
            }
        }
    }

    /** How many are subscribed. */
    public int count() {
        return subscriptions.points().size();
    }

    /** Their account. */
    public Subscriptions subscriptions() {
        return subscriptions;
    }

    private boolean isNews(EventType event, String what) {
        return !what.equals(told.put(event.label(), what));
    }

    /** The order in which to subscribe events: what ends an interval before what begins it. */
    static Comparator<EventType> subscriptionOrder() {
        return Comparator.comparing(event -> !ENDS.contains(event));
    }

    /** Events that come. */
    public Set<EventType> subscribed() {
        return EnumSet.copyOf(subscribed);
    }

    /** Points that do not, with the reason. */
    public Map<String, String> failed() {
        return Collections.unmodifiableMap(failed);
    }

    /** Hits since start that probes missed: no record tells of them. */
    public long missed() {
        missed = Math.max(missed, subscriptions.missed(MAY_MISS.label()::equals));
        return missed;
    }

    /** What the kernel does that makes figures false. */
    public PointControl.Doubts doubts() {
        return subscriptions.doubts();
    }

    /** Ends all subscriptions. */
    public void unsubscribe() {
        for (String other : List.copyOf(subscriptions.points())) {
            if (subscribed.stream().noneMatch(event -> event.label().equals(other))) {
                subscriptions.end(other);
                answered.run();
            }
        }
        endAllBut(Set.of());
    }

    /** The last one first; keeps their final counters. */
    private void endAllBut(Set<EventType> wanted) {
        List<String> all = new ArrayList<>(subscriptions.points());
        Collections.reverse(all);
        for (String point : all) {
            EventType event = events.get(point);
            if (event != null && !wanted.contains(event) && subscribed.remove(event)) {
                subscriptions.end(point);
                answered.run();
            }
        }
    }

    /** The final counters of what has been ended. */
    public Map<EventType, List<HitCounts>> finalCounters() {
        Map<EventType, List<HitCounts>> counters = new EnumMap<>(EventType.class);
        subscriptions.finals().forEach((point, counts) -> {
            EventType event = events.get(point);
            if (event != null) {
                counters.put(event, counts);
            }
        });
        return counters;
    }
}
