// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import magnet.control.ControlException;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.Mechanism;
import magnet.control.ModuleInfo;
import magnet.control.PointFunction;
import magnet.control.PointInfo;
import magnet.control.SubscriptionInfo;
import magnet.os.Errno;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Points of the real module, by its control socket. For one thread at a time. */
public final class ControlPoints implements PointControl {
    private static final Logger LOGGER = LoggerFactory.getLogger(ControlPoints.class);

    private final MagnetControl control;
    private final String buffer;
    private final Map<String, PointInfo> known = new HashMap<>();
    /** Subscriptions of points at the entry of functions. */
    private final Set<Long> atFunctions = new HashSet<>();

    /**
     * @param control the socket, which owns what is subscribed
     * @param buffer where the events go to
     * @param known all points that this kernel tells of
     */
    public ControlPoints(MagnetControl control, String buffer, List<PointInfo> known) {
        this.control = control;
        this.buffer = buffer;
        known.forEach(point -> this.known.put(point.name(), point));
    }

    @Override
    public Subscription subscribe(String point) throws PointException, IOException {
        PointInfo info = known.get(point);
        if (info == null) {
            throw new PointException("no such point");
        }
        try {
            long id = control.subscribe(point, buffer, Set.of()).id();
            if (info.mechanism() == Mechanism.FTRACE) {
                atFunctions.add(id);
            }
            return new Subscription(id, gapsOf(info));
        } catch (ControlException e) {
            if (e.errno() == Errno.EPERM) {
                throw e;
            }
            throw new PointException(e.kernelText().orElse(String.valueOf(e.getMessage())));
        }
    }

    @Override
    public List<HitCounts> unsubscribe(long id) {
        atFunctions.remove(id);
        return unsubscribe(control, id);
    }

    /** Ends a subscription; gives its final counters, or none if they cannot be had any more. */
    public static List<HitCounts> unsubscribe(MagnetControl control, long id) {
        try {
            return control.unsubscribe(id).counts();
        } catch (IOException e) {
            LOGGER.debug("no final counters: {}", e.getMessage());
            return List.of();
        }
    }

    @Override
    public OptionalLong missed(long id) {
        return missed(control, Set.of(id));
    }

    @Override
    public Doubts doubts() {
        try {
            ModuleInfo info = control.info();
            return new Doubts(info.clockUnstable(), info.ftraceDisabled() ? atFunctions.size() : 0);
        } catch (IOException e) {
            LOGGER.debug("the module does not say how it is: {}", e.getMessage());
            return Doubts.NONE;
        }
    }

    /** Hits that probes of these subscriptions have missed so far; empty if that cannot be asked. */
    public static OptionalLong missed(MagnetControl control, Set<Long> ids) {
        try {
            return OptionalLong.of(control.subscriptions().stream()
                    .filter(each -> ids.contains(each.id()))
                    .mapToLong(each -> each.total().missed())
                    .sum());
        } catch (IOException e) {
            LOGGER.debug("no counters: {}", e.getMessage());
            return OptionalLong.empty();
        }
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
        return losses.values().stream().mapToLong(ControlPoints::lost).sum();
    }

    private static long lost(HitCounts counts) {
        return counts.dropped() + counts.missed();
    }

    private static String gapsOf(PointInfo point) {
        if (!point.isAvailable()) {
            return "";
        }
        return point.functions().stream()
                .filter(function -> function.state() == PointFunction.State.UNRESOLVED)
                .map(function -> (function.family() + " none of " + String.join(", ", function.tried())).strip())
                .collect(Collectors.joining("; "));
    }
}
