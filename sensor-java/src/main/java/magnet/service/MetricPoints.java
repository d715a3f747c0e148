// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import magnet.control.ControlException;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.PointInfo;
import magnet.control.SubscriptionInfo;
import magnet.metric.Metric;
import magnet.metric.Metrics;
import magnet.os.Errno;
import magnet.record.EventType;

/**
 * The points that some metrics need, subscribed into a buffer beside the service's, and what they lose. For whoever
 * measures for itself. For one thread.
 */
public final class MetricPoints {
    private final MagnetControl control;
    private final String buffer;
    private final Set<EventType> there = EnumSet.noneOf(EventType.class);
    private final List<String> absent = new ArrayList<>();
    private int count;

    /** @param buffer where the events go to; it exists, and has no other subscriptions */
    public MetricPoints(MagnetControl control, String buffer) {
        this.control = control;
        this.buffer = buffer;
    }

    /**
     * Subscribes what these metrics need and this kernel has.
     *
     * @param known all points
     * @return the metrics of these that can be computed
     * @throws ControlException EPERM if this user may not subscribe at all; a point that the kernel refuses is absent
     */
    public List<Metric> subscribe(List<Metric> wanted, List<PointInfo> known) throws IOException {
        Set<String> available = known.stream()
                .filter(PointInfo::isAvailable)
                .map(PointInfo::name)
                .collect(Collectors.toSet());
        List<EventType> events = new ArrayList<>(Metrics.eventsOf(wanted));
        events.sort(Points.subscriptionOrder());
        for (EventType event : events) {
            if (available.contains(event.label()) && subscribe(event.label())) {
                there.add(event);
            } else {
                absent.add(event.label());
            }
        }
        return wanted.stream().filter(metric -> metric.isComputableFrom(there)).toList();
    }

    /** Subscribes other points, too; those that metrics need already are not subscribed twice. */
    public void add(List<String> others) throws IOException {
        for (String point : others) {
            if (there.stream().noneMatch(event -> event.label().equals(point))) {
                control.subscribe(point, buffer, Set.of());
                count++;
            }
        }
    }

    private boolean subscribe(String point) throws IOException {
        try {
            control.subscribe(point, buffer, Set.of());
            count++;
            return true;
        } catch (ControlException e) {
            if (e.errno() == Errno.EPERM) {
                throw e;
            }
            return false;
        }
    }

    /** How many are subscribed. */
    public int count() {
        return count;
    }

    /** Points that metrics need and that this kernel does not have or refused. */
    public List<String> absent() {
        return List.copyOf(absent);
    }

    /** Those that have lost events since they were subscribed, by the module's own counters; who lost most comes first. */
    public Map<String, HitCounts> losses() throws IOException {
        Map<String, HitCounts> all = new TreeMap<>();
        for (SubscriptionInfo subscription : control.subscriptions()) {
            if (subscription.buffer().equals(buffer)) {
                all.merge(subscription.point(), subscription.total(), HitCounts::plus);
            }
        }
        Map<String, HitCounts> losses = new LinkedHashMap<>();
        all.entrySet().stream()
                .filter(each -> lost(each.getValue()) > 0)
                .sorted(Comparator.comparingLong((Map.Entry<String, HitCounts> each) -> lost(each.getValue()))
                        .reversed())
                .forEach(each -> losses.put(each.getKey(), each.getValue()));
        return losses;
    }

    /** The events that these come to, whatever the cause. */
    public static long lost(Map<String, HitCounts> losses) {
        return losses.values().stream().mapToLong(MetricPoints::lost).sum();
    }

    private static long lost(HitCounts counts) {
        return counts.dropped() + counts.missed();
    }
}
