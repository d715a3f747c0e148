// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import magnet.control.ControlException;
import magnet.control.HitCounts;
import magnet.control.Selection;
import magnet.os.Errno;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What somebody has subscribed into a buffer, each point once, and what has become of the hits: while it is on, and when it
 * has ended. All who log events into a buffer of their own keep this account. {@link #ended} is for any thread, all else
 * for one at a time: the {@link Conductor}'s while there is one.
 */
public final class Subscriptions {
    private static final Logger LOGGER = LoggerFactory.getLogger(Subscriptions.class);

    private final PointControl kernel;
    private final Map<String, Long> ids = new LinkedHashMap<>();
    private final Map<String, List<HitCounts>> finals = new LinkedHashMap<>();
    private final AtomicInteger ended = new AtomicInteger();
    private Map<String, HitCounts> base = Map.of();
    private @Nullable IOException untold;

    /** @param kernel what subscribes */
    public Subscriptions(PointControl kernel) {
        this.kernel = kernel;
    }

    /**
     * Subscribes a point that is not.
     *
     * @return functions of the point that this kernel does not have, for a log line; empty if it has them all
     * @throws PointException if this kernel does not have it, or refuses it
     * @throws IOException if nothing at all can be subscribed
     */
    public String add(String point, Selection selection) throws PointException, IOException {
        PointControl.Subscription made = kernel.subscribe(point, selection);
        ids.put(point, made.id());
        return made.gaps();
    }

    /** Lets one log other events of its point. */
    public void change(String point, Selection selection) throws PointException, IOException {
        kernel.change(id(point), selection);
    }

    private long id(String point) {
        return Objects.requireNonNull(ids.get(point), point);
    }

    /** What the kernel does that makes figures false. */
    public PointControl.Doubts doubts() {
        return kernel.doubts();
    }

    /** Points that are subscribed, those first that were first. */
    public Set<String> points() {
        return Collections.unmodifiableSet(ids.keySet());
    }

    /** Ends one; what it logged stays in the buffer. */
    public void end(String point) {
        end(point, HitCounts.NONE);
    }

    /** Of one that somebody else ended meanwhile what was last known counts. */
    private void end(String point, HitCounts last) {
        Long id = ids.remove(point);
        if (id == null) {
            return;
        }
        List<HitCounts> counts = List.of();
        try {
            counts = kernel.unsubscribe(id);
        } catch (IOException e) {
            LOGGER.debug("no final counters: {}", e.getMessage());
            counts = last.equals(HitCounts.NONE) ? List.of() : List.of(last);
            if (untold == null && !(e instanceof ControlException refusal && refusal.errno() == Errno.ENOENT)) {
                untold = e;
            }
        }
        finals.merge(point, counts, Subscriptions::sum);
        ended.incrementAndGet();
    }

    /** Ends all, the last one first. */
    public void endAll() {
        Map<Long, HitCounts> last = counts();
        List<String> points = new ArrayList<>(ids.keySet());
        Collections.reverse(points);
        for (String point : points) {
            end(point, last.getOrDefault(id(point), HitCounts.NONE));
        }
    }

    private Map<Long, HitCounts> counts() {
        try {
            return kernel.counts();
        } catch (IOException e) {
            LOGGER.debug("no counters: {}", e.getMessage());
            return Map.of();
        }
    }

    /** By CPU: the counters of a point that was on more than once. */
    private static List<HitCounts> sum(List<HitCounts> before, List<HitCounts> now) {
        Map<Integer, HitCounts> sums = new LinkedHashMap<>();
        before.forEach(each -> sums.put(each.cpu(), each));
        now.forEach(each ->
                sums.merge(each.cpu(), each, (one, other) -> one.plus(other).onCpu(one.cpu())));
        return List.copyOf(sums.values());
    }

    /** How many have ended so far: letting go of a hook takes time, seconds on a busy machine. */
    public int ended() {
        return ended.get();
    }

    /** The final counters by CPU of points that have ended. */
    public Map<String, List<HitCounts>> finals() {
        return Collections.unmodifiableMap(finals);
    }

    /** What became of the hits of a point as far as its subscriptions have ended. */
    public HitCounts of(String point) {
        return finals.getOrDefault(point, List.of()).stream().reduce(HitCounts.NONE, HitCounts::plus);
    }

    /** What became of the hits of all that have ended. */
    public HitCounts total() {
        return finals.keySet().stream().map(this::of).reduce(HitCounts.NONE, HitCounts::plus);
    }

    /** Why the final counters of one could not be had, if so. */
    public Optional<IOException> untold() {
        return Optional.ofNullable(untold);
    }

    /** Events that were logged so far, by those that have ended and those that have not. */
    public long logged() throws IOException {
        return total().committed()
                + byPoint(kernel.counts()).values().stream()
                        .mapToLong(HitCounts::committed)
                        .sum();
    }

    /** Hits since start that probes of these points missed: no record tells of them. Less if that cannot be asked. */
    public long missed(Predicate<String> which) {
        long now = ids.keySet().stream().noneMatch(which) ? 0 : missed(byPoint(counts()), which);
        return now
                + finals.keySet().stream()
                        .filter(which)
                        .mapToLong(point -> of(point).missed())
                        .sum();
    }

    private static long missed(Map<String, HitCounts> counts, Predicate<String> which) {
        return counts.entrySet().stream()
                .filter(each -> which.test(each.getKey()))
                .mapToLong(each -> each.getValue().missed())
                .sum();
    }

    /** What is lost from now on is told of by {@link #losses}. */
    public void beginLosses() throws IOException {
        base = byPoint(kernel.counts());
    }

    /**
     * Points that have lost events since {@link #beginLosses}, or since they were subscribed, by the module's own counters;
     * what lost most comes first.
     */
    public Map<String, HitCounts> losses() throws IOException {
        Map<String, HitCounts> all = new TreeMap<>();
        byPoint(kernel.counts()).forEach((point, counts) -> all.put(point, sinceBase(point, counts)));
        Map<String, HitCounts> losses = new LinkedHashMap<>();
        all.entrySet().stream()
                .filter(each -> lost(each.getValue()) > 0)
                .sorted(Comparator.comparingLong((Map.Entry<String, HitCounts> each) -> lost(each.getValue()))
                        .reversed())
                .forEach(each -> losses.put(each.getKey(), each.getValue()));
        return losses;
    }

    private HitCounts sinceBase(String point, HitCounts counts) {
        HitCounts before = base.get(point);
        return before == null ? counts : counts.minus(before);
    }

    private Map<String, HitCounts> byPoint(Map<Long, HitCounts> counts) {
        Map<String, HitCounts> byPoint = new LinkedHashMap<>();
        ids.forEach((point, id) -> {
            HitCounts its = counts.get(id);
            if (its != null) {
                byPoint.put(point, its);
            }
        });
        return byPoint;
    }

    /** The events that these come to, whatever the cause. */
    public static long lost(Map<String, HitCounts> losses) {
        return losses.values().stream().mapToLong(Subscriptions::lost).sum();
    }

    private static long lost(HitCounts counts) {
        return counts.dropped() + counts.missed();
    }

    /** The end of a line that says what became of hits. */
    public static String account(HitCounts total) {
        long lost = lost(total);
        boolean one = lost == 1 || (lost == 0 && total.hits() == 1);
        return "of %d %s %s %s lost%s%s"
                .formatted(
                        total.hits(),
                        total.hits() == 1 ? "hit" : "hits",
                        lost == 0 ? "none" : Long.toString(lost),
                        one ? "was" : "were",
                        total.filtered() == 0 ? "" : ", " + total.filtered() + " filtered",
                        total.sampledOut() == 0 ? "" : ", " + total.sampledOut() + " left out by sampling");
    }
}
