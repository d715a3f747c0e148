// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import magnet.control.ControlException;
import magnet.control.Flag;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointFunction;
import magnet.control.PointInfo;
import magnet.control.Selection;
import magnet.control.SubscriptionInfo;
import magnet.os.Errno;

/** Points of the real module, by its control socket. For one thread at a time. */
public final class ControlPoints implements PointControl {
    private final MagnetControl control;
    private final String buffer;
    private final Set<Flag> flags;
    private final Map<String, String> rules;
    private final Map<String, PointInfo> known = new HashMap<>();

    /**
     * @param control the socket, which owns what is subscribed
     * @param buffer where the events go to
     * @param known all points that this kernel tells of, if their gaps are of interest
     * @param flags of the subscriptions
     */
    public ControlPoints(MagnetControl control, String buffer, List<PointInfo> known, Set<Flag> flags) {
        this(control, buffer, known, flags, Map.of());
    }

    /** @param rules those of points that do not log every event, by the point's name */
    ControlPoints(
            MagnetControl control, String buffer, List<PointInfo> known, Set<Flag> flags, Map<String, String> rules) {
        this.rules = Map.copyOf(rules);
        this.control = control;
        this.buffer = buffer;
        this.flags = Set.copyOf(flags);
        known.forEach(point -> this.known.put(point.name(), point));
    }

    @Override
    public Subscription subscribe(String point, Selection selection) throws PointException, IOException {
        PointInfo info = known.get(point);
        if (info == null && !known.isEmpty()) {
            throw new PointException("no such point");
        }
        try {
            String own = rules.get(point);
            Selection selected = own == null ? selection : selection.withRules(own);
            long id = control.subscribe(point, buffer, flags, selected).id();
            return new Subscription(id, info == null ? "" : gapsOf(info));
        } catch (ControlException e) {
            throw refused(e);
        }
    }

    @Override
    public void change(long id, Selection selection) throws PointException, IOException {
        try {
            control.changeSubscription(id, selection);
        } catch (ControlException e) {
            throw refused(e);
        }
    }

    /** A missing right is not the point's: without it nothing at all can be subscribed. */
    private static PointException refused(ControlException e) throws ControlException {
        if (e.errno() == Errno.EPERM) {
            throw e;
        }
        String otherwise = e.errno() == Errno.ENOENT ? "no such point" : String.valueOf(e.getMessage());
        return new PointException(e.kernelText().orElse(otherwise), e);
    }

    @Override
    public List<HitCounts> unsubscribe(long id) throws IOException {
        return control.unsubscribe(id).counts();
    }

    @Override
    public Map<Long, HitCounts> counts() throws IOException {
        return control.subscriptions().stream()
                .filter(subscription -> subscription.buffer().equals(buffer))
                .collect(Collectors.toMap(SubscriptionInfo::id, SubscriptionInfo::total, HitCounts::plus));
    }

    @Override
    public Doubts doubts() {
        return doubts(Set.of(buffer));
    }

    /**
     * The same for what is subscribed into any of several buffers.
     *
     * @param buffers their names
     */
    public Doubts doubts(Set<String> buffers) {
        try {
            ModuleInfo info = control.info();
            boolean mayBeBlind = info.ftraceDisabled() || info.kprobesDisabled();
            return new Doubts(info.clockUnstable(), mayBeBlind ? blindPoints(info, buffers) : 0);
        } catch (IOException e) { // who reads hears of it that the module is gone
            return Doubts.NONE;
        }
    }

    private int blindPoints(ModuleInfo info, Set<String> buffers) throws IOException {
        Set<String> subscribed = control.subscriptions().stream()
                .filter(subscription -> buffers.contains(subscription.buffer()))
                .map(SubscriptionInfo::point)
                .collect(Collectors.toSet());
        return (int) control.points().stream()
                .filter(point -> subscribed.contains(point.name()) && info.isBlind(point))
                .count();
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
