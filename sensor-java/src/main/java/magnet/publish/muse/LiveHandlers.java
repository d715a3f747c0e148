// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handlers of all clients that are started, and the events for them, which are there as long as one is. What happened
 * before a handler is started, or its filters change, is judged as it was then. As a clock it is that of its events. For the
 * server's thread.
 */
final class LiveHandlers implements TickClock, AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(LiveHandlers.class);
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** Who stops one handler often starts another; to make the buffer takes longer than all else. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final EventTap.Opener opener;
    private final LongSupplier nanoClock;
    private final MuseEvents events = new MuseEvents(this::offer, new ToHandlers());
    private final List<ClientHandler> live = new ArrayList<>();
    private @Nullable EventTap tap;
    /** Of the events that there are, or were there last. */
    private TickClock clock;

    private long timerBefore;
    private long lost;
    private long told;
    private long toldNanos;
    private long idleNanos;

    /** @param clock counts until there are events */
    LiveHandlers(EventTap.Opener opener, TickClock clock, LongSupplier nanoClock) {
        this.opener = opener;
        this.clock = clock;
        this.nanoClock = nanoClock;
    }

    /** Whether there are events to be read now and then. */
    boolean isReading() {
        return tap != null;
    }

    /**
     * From now on it gets events.
     *
     * @throws RefusedException if the kernel refuses; then it gets none
     */
    void start(ClientHandler handler) throws RefusedException {
        if (handler.isStarted()) {
            return;
        }
        try {
            if (tap == null) {
                tap = opener.open(events);
                clock = tap.clock();
            }
            live.add(handler);
            select();
            // What is there was logged before it was started.
            tap.readAll();
            handler.start(clock.now());
        } catch (IOException | RuntimeException e) {
            leave(handler);
            if (live.isEmpty()) {
                close();
            }
            throw new RefusedException("it cannot be started: " + e.getMessage());
        }
    }

    /** It has got every event until now, and gets no more. */
    void stop(ClientHandler handler) {
        if (handler.isStarted()) {
            readAll();
            handler.stop(clock.now());
            leave(handler);
        }
    }

    /**
     * Changes a handler's filters, which count from now on.
     *
     * @throws RefusedException if the kernel refuses; then the handler has those that it had before
     */
    void change(ClientHandler handler, Runnable change) throws RefusedException {
        readAll();
        if (!handler.isStarted()) {
            change.run();
            return;
        }
        List<EventFilter> before = List.copyOf(handler.filters());
        handler.isAboutToChange(clock.now());
        change.run();
        try {
            select();
        } catch (IOException e) {
            handler.filters().clear();
            handler.filters().addAll(before);
            selectAgain();
            throw new RefusedException("its events cannot be had: " + e.getMessage());
        }
    }

    /** Hands on all that was logged until now. */
    void readAll() {
        read(true);
    }

    /** Hands on what is there, so that the kernel's memory does not fill. */
    void read() {
        read(false);
    }

    private void read(boolean all) {
        EventTap open = tap;
        if (open == null) {
            return;
        }
        if (live.isEmpty()) {
            if (nanoClock.getAsLong() - idleNanos > LINGER_NANOS) {
                close();
            }
            return;
        }
        try {
            if (all) {
                open.readAll();
            } else {
                open.read();
            }
        } catch (IOException e) {
            LOGGER.error("muse: there are no events any more for {} handlers: {}", live.size(), e.getMessage());
            long now = clock.now();
            live.forEach(handler -> handler.breakOff(now, String.valueOf(e.getMessage())));
            live.clear();
            close();
        }
        tellLosses();
    }

    private void select() throws IOException {
        Objects.requireNonNull(tap).select(PointRules.of(live));
    }

    private void leave(ClientHandler handler) {
        live.remove(handler);
        idleNanos = nanoClock.getAsLong();
        selectAgain();
    }

    /** Less than before, or what was there before: of that nothing is refused but by a module that is gone. */
    private void selectAgain() {
        if (tap == null) {
            return;
        }
        try {
            select();
        } catch (IOException e) {
            LOGGER.debug("muse: events as before", e);
        }
    }

    private void offer(MuseEvent event) {
        for (int i = 0; i < live.size(); i++) {
            live.get(i).offer(event);
        }
    }

    @Override
    public long now() {
        return clock.now();
    }

    @Override
    public long ticksPerSecond() {
        return clock.ticksPerSecond();
    }

    @Override
    public double realtimeSeconds(long timer) {
        return clock.realtimeSeconds(timer);
    }

    /** Tells the handlers of what breaks off. */
    private final class ToHandlers implements MuseEvents.Breaks {
        @Override
        public void lost(int cpu, long count) {
            lost += count;
            for (int i = 0; i < live.size(); i++) {
                live.get(i).noteLost(cpu, count);
            }
        }

        @Override
        public long epochEnds(int cpus) {
            timerBefore = clock.now();
            for (int i = 0; i < live.size(); i++) {
                live.get(i).endEpoch(cpus);
            }
            return timerBefore;
        }

        @Override
        public void epochBegins() {
            long ahead = clock.now() - timerBefore;
            for (int i = 0; i < live.size(); i++) {
                live.get(i).beginEpoch(ahead);
            }
        }
    }

    private void tellLosses() {
        long now = nanoClock.getAsLong();
        if (lost > told && (told == 0 || now - toldNanos >= QUIET_NANOS)) {
            LOGGER.warn(
                    "muse: {} events lost, so clients are told too low numbers; a larger buffer-size helps",
                    lost - told);
            told = lost;
            toldNanos = now;
        }
    }

    @Override
    public void close() {
        if (tap != null) {
            tap.close();
            tap = null;
        }
    }
}
