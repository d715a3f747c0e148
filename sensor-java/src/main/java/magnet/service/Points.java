// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import magnet.control.HitCounts;
import magnet.metric.Metric;
import magnet.metric.MetricGroup;
import magnet.metric.Metrics;
import magnet.record.EventType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The points that the service has subscribed, and those that it could not. For one thread. */
final class Points {
    private static final Logger LOGGER = LoggerFactory.getLogger(Points.class);

    /** Events that end an interval. They come first and go last, so that no begin ever lacks its end. */
    private static final Set<EventType> ENDS = EnumSet.of(EventType.IRQ_HANDLER_EXIT, EventType.SOFTIRQ_EXIT);

    private final SensorKernel kernel;
    private final Map<EventType, Long> subscriptions = new LinkedHashMap<>();
    private final Map<String, String> failed = new LinkedHashMap<>();
    private final Map<EventType, List<HitCounts>> finalCounters = new EnumMap<>(EventType.class);

    Points(SensorKernel kernel) {
        this.kernel = kernel;
    }

    /**
     * Subscribes what the metrics of these groups need and this kernel has; says once, in one line each, what it does
     * not have.
     *
     * @return the metrics that can be computed
     * @throws ServiceException if none can be subscribed for a reason that is not the point's
     */
    List<Metric> subscribe(Set<MetricGroup> groups) throws ServiceException {
        List<EventType> wanted = new ArrayList<>(Metrics.eventsOf(groups));
        wanted.sort(Comparator.comparing(event -> !ENDS.contains(event)));
        List<String> gaps = new ArrayList<>();
        for (EventType event : wanted) {
            try {
                SensorKernel.Subscription subscription = kernel.subscribe(event.label());
                subscriptions.put(event, subscription.id());
                if (!subscription.gaps().isEmpty()) {
                    gaps.add(event.label() + " (" + subscription.gaps() + ")");
                }
            } catch (PointException e) {
                failed.put(event.label(), e.getMessage());
            }
        }
        if (!failed.isEmpty()) {
            LOGGER.warn(
                    "running without {} of {} points and the metrics that need them: {}",
                    failed.size(),
                    wanted.size(),
                    failed);
        }
        if (!gaps.isEmpty()) {
            LOGGER.warn(
                    "points that see only a part, because this kernel lacks functions: {}", String.join(", ", gaps));
        }
        List<Metric> metrics = Metrics.select(groups, subscribed());
        endUseless(metrics);
        return metrics;
    }

    /** Ends what was subscribed for metrics that lack another point. */
    private void endUseless(List<Metric> metrics) {
        Set<EventType> useful = EnumSet.noneOf(EventType.class);
        metrics.forEach(metric -> useful.addAll(metric.events()));
        for (EventType event : subscribed()) {
            if (!useful.contains(event)) {
                kernel.unsubscribe(Objects.requireNonNull(subscriptions.remove(event)));
            }
        }
    }

    /** Events that come. */
    Set<EventType> subscribed() {
        EnumSet<EventType> events = EnumSet.noneOf(EventType.class);
        events.addAll(subscriptions.keySet());
        return events;
    }

    /** Points that do not, with the reason. */
    Map<String, String> failed() {
        return failed;
    }

    /** Ends all subscriptions, the last one first, and keeps their final counters. */
    void unsubscribe() {
        List<Map.Entry<EventType, Long>> all = new ArrayList<>(subscriptions.entrySet());
        Collections.reverse(all);
        for (Map.Entry<EventType, Long> each : all) {
            finalCounters.put(each.getKey(), kernel.unsubscribe(each.getValue()));
        }
        subscriptions.clear();
    }

    /** What {@link #unsubscribe} kept. */
    Map<EventType, List<HitCounts>> finalCounters() {
        return finalCounters;
    }
}
