// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import magnet.record.EventType;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of the kernel, for an expression: which points, and the rules of each. The kernel lets at least those packets
 * pass that are wanted; where it cannot tell exactly, the expression is applied once more to what passes. Immutable.
 */
public final class DumpPlan {
    private static final int LOOPBACK = 1;
    /** Without these it is not known whose packets they are. */
    private static final Set<EventType> NEEDED = Set.of(
            EventType.NET_DEV_START_XMIT,
            EventType.NET_DEV_XMIT,
            EventType.NET_DEV_RECEIVE,
            EventType.NETIF_RECEIVE_SKB);

    private final String text;
    private final Expression expression;
    private final OptionalInt device;
    private final boolean journeys;
    private final List<Subscription> subscriptions = new ArrayList<>();
    private boolean exact = true;

    /**
     * A point that is wanted.
     *
     * @param rules of its chain; empty for every event
     * @param isShown whether its packets are shown, and their bytes wanted
     */
    public record Subscription(EventType point, String rules, boolean isShown) {}

    private DumpPlan(String text, Expression expression, OptionalInt device, boolean journeys) {
        this.text = text;
        this.expression = expression;
        this.device = device;
        this.journeys = journeys;
    }

    /**
     * The plan for an expression.
     *
     * @param text the expression; empty for all packets
     * @param device the index of the only device whose packets are wanted; empty for all
     * @param journeys whether the layers that packets pass are wanted
     * @throws ExpressionException if it is none, or no packet can be such
     */
    public static DumpPlan of(String text, OptionalInt device, boolean journeys) throws ExpressionException {
        DumpPlan plan = new DumpPlan(text, ExpressionParser.parse(text), device, journeys);
        for (EventType point : Journeys.POINTS) {
            if (journeys || NEEDED.contains(point)) {
                plan.add(Site.of(point));
            }
        }
        if (!journeys) {
            plan.keepOnlyWith(EventType.NET_DEV_START_XMIT, EventType.NET_DEV_XMIT);
            plan.keepOnlyWith(EventType.NETIF_RECEIVE_SKB, EventType.NET_DEV_RECEIVE);
        }
        if (plan.subscriptions.stream().noneMatch(Subscription::isShown)) {
            throw new ExpressionException(
                    "expression '" + ExpressionParser.oneLine(text) + "': no packet can be such, at this interface");
        }
        return plan;
    }

    /** Whose packets they are is asked for only where some are shown. */
    private void keepOnlyWith(EventType shown, EventType namespace) {
        if (subscriptions.stream().noneMatch(each -> each.point() == shown)) {
            subscriptions.removeIf(each -> each.point() == namespace);
        }
    }

    private void add(Site site) {
        boolean sends = site.point() == EventType.NET_DEV_START_XMIT || site.point() == EventType.NET_DEV_XMIT;
        RuleCompiler.Rules rules = RuleCompiler.compile(expression, site);
        if (rules.isNothing() || (sends && device.isPresent() && device.getAsInt() == LOOPBACK)) {
            return;
        }
        boolean shown = site.isShown();
        exact &= rules.isExact() || !shown;
        String first = "";
        if (device.isPresent() && (sends || shown)) {
            first = "drop if ifindex != " + device.getAsInt();
        } else if (sends) {
            first = "drop if ifindex == " + LOOPBACK;
        }
        boolean both = !first.isEmpty() && !rules.rules().isEmpty();
        subscriptions.add(new Subscription(site.point(), first + (both ? "; " : "") + rules.rules(), shown));
    }

    /** The expression's text. */
    public String text() {
        return text;
    }

    /** What the kernel is asked for, in the order of a packet's journey. */
    public List<Subscription> subscriptions() {
        return List.copyOf(subscriptions);
    }

    /** Whether the kernel's rules decide alone which packets are shown. */
    public boolean isExact() {
        return exact;
    }

    OptionalInt device() {
        return device;
    }

    boolean journeys() {
        return journeys;
    }

    /** What is to be tested once more; null if the rules say it all. */
    @Nullable
    Expression remaining() {
        return exact ? null : expression;
    }

    /** The plan for people, in lines. */
    public List<String> explanation() {
        List<String> lines = new ArrayList<>();
        for (Subscription each : subscriptions) {
            lines.add("%-20s %s".formatted(each.point().label(), each.rules().isEmpty() ? "log" : each.rules()));
        }
        lines.add(
                exact
                        ? "The rules decide alone which packets are shown."
                        : "The rules let more pass than is wanted: the expression is applied to that once more.");
        return lines;
    }
}
