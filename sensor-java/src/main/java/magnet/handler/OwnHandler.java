// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.record.RecordFlyweight;
import magnet.spi.Filter;
import magnet.spi.Handler;
import magnet.spi.Point;
import magnet.summary.WindowClock;
import magnet.trace.EventFormat;
import magnet.trace.RuleChain;
import magnet.trace.RuleWords;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handler that runs, with its window. Whatever its code throws switches it off, which is logged once. For one thread.
 */
public final class OwnHandler {
    /** Most points of a handler. */
    static final int POINTS_MAX = 8;

    private static final Logger LOGGER = LoggerFactory.getLogger(OwnHandler.class);
    private static final double NANOS_PER_SECOND = 1e9;

    /** One of its points. */
    private static final class Use {
        final Point point;
        final EventFormat format;

        @Nullable
        RuleChain chain;

        long got;
        long filtered;

        Use(Point point, EventFormat format) {
            this.point = point;
            this.format = format;
        }
    }

    private final HandlerCandidate candidate;
    private final Handler handler;
    private final @Nullable Filter filter;
    private final List<Use> uses = new ArrayList<>();
    private final RecordEvent event = new RecordEvent();
    private final Instruments instruments;
    private final int slots;
    private WindowClock clock;
    private boolean begun;
    private long handled;
    private @Nullable String failure;

    private OwnHandler(
            HandlerCandidate candidate,
            Handler handler,
            @Nullable Filter filter,
            List<EventFormat> formats,
            Scale scale) {
        this.candidate = candidate;
        this.handler = handler;
        this.filter = filter;
        this.instruments = new Instruments(candidate.name(), candidate.level(), formats, scale);
        this.slots = scale.slots();
        this.clock = new WindowClock(slots, 0);
    }

    /**
     * What all handlers of a run share.
     *
     * @param nanosPerTick nanoseconds in a tick of the records' timers
     * @param slots slots of the window
     * @param threads whether records tell which thread they are of
     */
    public record Scale(double nanosPerTick, int slots, boolean threads) {}

    /** Gives the format of events of a point, which may have to be inserted first. */
    @FunctionalInterface
    public interface PointLookup {
        /**
         * The format.
         *
         * @param index of the point in the handler's list
         * @throws HandlerException if the kernel does not have the point
         * @throws IOException if nothing can be asked any more
         */
        EventFormat format(int index, Point point) throws HandlerException, IOException;
    }

    /**
     * Makes a handler and lets it begin. It gets events from {@link #beginWindow} on.
     *
     * @throws HandlerException if it fails, or asks for what is not there
     * @throws IOException if the source throws it
     */
    public static OwnHandler begin(HandlerCandidate candidate, PointLookup source, Scale scale)
            throws HandlerException, IOException {
        Handler handler = guarded("made", candidate.handler()::get);
        Supplier<? extends Filter> filterMaker = candidate.filter();
        Filter filter = filterMaker == null ? null : guarded("made with its filter", filterMaker::get);
        List<Point> points = guarded("asked for its points", () -> List.copyOf(handler.points()));
        List<EventFormat> formats = new ArrayList<>();
        for (int i = 0; i < points.size(); i++) {
            formats.add(source.format(i, points.get(i)));
        }
        OwnHandler own = new OwnHandler(candidate, handler, filter, formats, scale);
        for (int i = 0; i < points.size(); i++) {
            own.uses.add(new Use(points.get(i), formats.get(i)));
        }
        try {
            guarded("begun", () -> {
                handler.begin(own.instruments);
                for (int i = 0; filter != null && i < formats.size(); i++) {
                    filter.begin(i, new PointFields(formats.get(i), scale.threads()));
                }
                return own;
            });
        } catch (HandlerException e) {
            own.failure = String.valueOf(e.getMessage());
            own.end();
            throw e;
        }
        return own;
    }

    /** Somebody else's code. */
    @FunctionalInterface
    private interface Foreign<T> {
        T run();
    }

    private static <T> T guarded(String when, Foreign<T> code) throws HandlerException {
        try {
            return code.run();
        } catch (IllegalArgumentException e) {
            throw new HandlerException(e.getMessage() == null ? Failures.say(e) : e.getMessage(), e);
        } catch (Throwable e) { // whatever it is
            throw new HandlerException("failed when it was " + when + ": " + Failures.say(e), e);
        }
    }

    /**
     * Its window begins now, and so does it get events. Not when it was made: its points are subscribed one by one.
     *
     * @param nowNanos of the clock that {@link #close} is given
     */
    public void beginWindow(long nowNanos) {
        clock = new WindowClock(slots, nowNanos);
        begun = true;
    }

    /** What it was made of. */
    public HandlerCandidate candidate() {
        return candidate;
    }

    /** Its name. */
    public String name() {
        return candidate.name();
    }

    /** How many points it has. */
    public int points() {
        return uses.size();
    }

    /** One of its points. */
    public Point point(int index) {
        return uses.get(index).point;
    }

    /** What events of one of its points look like. */
    public EventFormat format(int index) {
        return uses.get(index).format;
    }

    /**
     * Lets the rules of a point be asked here, because the kernel does not.
     *
     * @param words puts numbers in the place of words in them
     * @throws HandlerException if they are none
     */
    public void filterHere(int index, long ticksPerMilli, RuleWords words) throws HandlerException {
        Use use = uses.get(index);
        RuleChain chain = PointFormats.rules(use.format, ticksPerMilli, words, use.point.where());
        use.chain = chain.isEmpty() ? null : chain;
    }

    /** Whether the rules of a point are asked here. */
    public boolean isFilteredHere(int index) {
        return uses.get(index).chain != null;
    }

    /** Whether the rules of a point that are asked here want bytes of the packet. */
    public boolean asksPacket(int index) {
        RuleChain chain = uses.get(index).chain;
        return chain != null && chain.asksPacket();
    }

    /** Its metrics; none once it is off. */
    public List<Metric> metrics() {
        return failure == null ? instruments.metrics() : List.of();
    }

    /** An event of one of its points. */
    void onRecord(int index, RecordFlyweight record) {
        if (failure != null || !begun) {
            return;
        }
        Use use = uses.get(index);
        use.got++;
        if (use.chain != null && !use.chain.passes(record)) {
            use.filtered++;
            return;
        }
        event.wrap(record, index);
        try {
            if (filter != null && !filter.passes(event)) {
                use.filtered++;
                return;
            }
            handler.onEvent(event);
            handled++;
        } catch (Throwable e) { // whatever it is
            switchOff("onEvent", e);
        }
    }

    void onLoss(int cpu, long events) {
        if (failure != null || !begun) {
            return;
        }
        try {
            handler.onLoss(cpu, events);
        } catch (Throwable e) { // whatever it is
            switchOff("onLoss", e);
        }
    }

    void onNewEpoch(int cpus) {
        if (failure != null || !begun) {
            return;
        }
        try {
            handler.onNewEpoch(cpus);
        } catch (Throwable e) { // whatever it is
            switchOff("onNewEpoch", e);
        }
    }

    /** Ends it; it gets no more events. */
    public void end() {
        try {
            handler.end();
        } catch (Throwable e) { // whatever it is
            if (failure == null) {
                switchOff("end", e);
            }
        }
    }

    private void switchOff(String method, Throwable thrown) {
        String why = "failed in " + method + ": " + Failures.say(thrown);
        failure = why;
        LOGGER.error("{}handler {} is switched off, it {}", candidate.origin(), name(), why);
        LOGGER.debug("handler {}", name(), thrown);
    }

    /** Why it is off; empty while it runs. */
    public Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    /** Puts in what its window holds, and begins the next slot. */
    void close(MetricSnapshot.Builder snapshot, long nowNanos) {
        snapshot.over(clock.close(nowNanos) / NANOS_PER_SECOND);
        if (failure == null) {
            instruments.put(snapshot);
        }
        clock.advance(nowNanos);
        instruments.advance();
    }

    /** Events that it has handled. */
    public long handled() {
        return handled;
    }

    /** Events of a point that were handed to it, before rules that are asked here. */
    public long got(int index) {
        return uses.get(index).got;
    }

    /** Those of them that rules and filters kept from it. */
    public long filtered(int index) {
        return uses.get(index).filtered;
    }

    /** What its metrics got since it began. */
    public Map<String, Object> totals() {
        return instruments.totals();
    }
}
