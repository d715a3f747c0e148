// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.control.HitCounts;
import magnet.record.EventType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The points that the service has subscribed, and those that it could not. For one thread. */
final class Points {
    private static final Logger LOGGER = LoggerFactory.getLogger(Points.class);

    private final SensorKernel kernel;
    private final Map<EventType, Long> subscriptions = new EnumMap<>(EventType.class);
    private final Map<String, String> failed = new LinkedHashMap<>();
    private final Map<EventType, List<HitCounts>> finalCounters = new EnumMap<>(EventType.class);

    Points(SensorKernel kernel) {
        this.kernel = kernel;
    }

    /**
     * Subscribes what this kernel has; says once, in one line each, what it does not have.
     *
     * @throws ServiceException if none can be subscribed for a reason that is not the point's
     */
    void subscribe(Set<EventType> wanted) throws ServiceException {
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

    /** Ends all subscriptions and keeps their final counters. */
    void unsubscribe() {
        subscriptions.forEach((event, id) -> finalCounters.put(event, kernel.unsubscribe(id)));
        subscriptions.clear();
    }

    /** What {@link #unsubscribe} kept. */
    Map<EventType, List<HitCounts>> finalCounters() {
        return finalCounters;
    }
}
