// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a client has created: makes something of the events that get through any of its filters, while it is started. Times
 * are ticks of the records' timer. For the server's thread.
 */
abstract class ClientHandler {
    private static final List<EventFilter> UNFILTERED = List.of(EventFilter.ALL);

    private final Kind kind;
    private final List<EventFilter> filters = new ArrayList<>();
    private boolean started;
    private long startedTimer;
    private long earlierTicks;
    private long lost;
    private @Nullable String broken;

    /** The handlers that there are. */
    enum Kind {
        COUNT("TAU_count"),
        SCHEDULING("process_scheduling"),
        BANDWIDTH("bandwidth"),
        TCP_BANDWIDTH("tcpbandwidth"),
        ACCUMULATOR("accumulator");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }

        /** Whether handlers of the kind make anything of an event. */
        boolean uses(long number) {
            return switch (this) {
                case COUNT, ACCUMULATOR -> true;
                case SCHEDULING -> number == MuseEvent.CONTEXT_IN || number == MuseEvent.CONTEXT_OUT;
                case BANDWIDTH, TCP_BANDWIDTH -> number == MuseEvent.SOCKET_SEND || number == MuseEvent.SOCKET_RECEIVE;
            };
        }
    }

    ClientHandler(Kind kind) {
        this.kind = kind;
    }

    final Kind kind() {
        return kind;
    }

    /** What was added; none lets every event through. */
    final List<EventFilter> filters() {
        return filters;
    }

    final boolean isStarted() {
        return started;
    }

    /** Events that were lost while it was started, of which some may have been its own. */
    final long lost() {
        return lost;
    }

    /** The only process that counts; {@link EventFilter#ANY} without one. */
    long process() {
        return EventFilter.ANY;
    }

    /** Goes on from now; what was before counts as well. */
    final void start(long timer) {
        if (!started) {
            started = true;
            broken = null;
            startedTimer = timer;
            began(timer);
        }
    }

    /** Makes a halt. */
    final void stop(long timer) {
        if (started) {
            ended(timer);
            earlierTicks += Math.max(0, timer - startedTimer);
            started = false;
        }
    }

    /** Makes a halt that nobody asked for. */
    final void breakOff(long timer, String why) {
        stop(timer);
        broken = why;
    }

    /** Why it halted, if nobody asked for it, until it is started again. */
    final Optional<String> broken() {
        return Optional.ofNullable(broken);
    }

    /** Other filters are about to count. */
    final void isAboutToChange(long timer) {
        ended(timer);
        began(timer);
    }

    /** How long it was started until now, in ticks. */
    final long ticks(long now) {
        return earlierTicks + (started ? Math.max(0, now - startedTimer) : 0);
    }

    final void offer(MuseEvent event) {
        if (started && kind.uses(event.number) && passes(event)) {
            onEvent(event);
        }
    }

    /** What decides which events it gets. */
    final List<EventFilter> effectiveFilters() {
        return filters.isEmpty() ? UNFILTERED : filters;
    }

    /** Whether one of this number, were it of the right process and socket, might come. */
    final boolean admits(int number) {
        return effectiveFilters().stream().anyMatch(filter -> filter.numbers().contains(number));
    }

    private boolean passes(MuseEvent event) {
        if (process() != EventFilter.ANY && process() != event.process) {
            return false;
        }
        List<EventFilter> any = effectiveFilters();
        for (int i = 0; i < any.size(); i++) {
            if (any.get(i).passes(event)) {
                return true;
            }
        }
        return false;
    }

    final void noteLost(int cpu, long count) {
        if (started) {
            lost += count;
            onLoss(cpu);
        }
    }

    /** The timer jumped. Nothing was lost, but what has begun on CPUs below this number has no end. */
    final void endEpoch(int cpus) {
        if (started) {
            onJump(cpus);
        }
    }

    /** What it remembers of the timer counts from another beginning now: that many ticks later. */
    final void beginEpoch(long ahead) {
        if (started) {
            startedTimer += ahead;
            shift(ahead);
        }
    }

    /** It was started, or its filters are others now. */
    void began(long timer) {
        // Most have nothing to begin.
    }

    /** It is about to be stopped, or to have other filters. */
    void ended(long timer) {
        // Most have nothing to end.
    }

    abstract void onEvent(MuseEvent event);

    /** Something on this CPU may be missing. */
    void onLoss(int cpu) {
        // Most only count, too little then.
    }

    /** What has begun on CPUs below this number has no end. */
    void onJump(int cpus) {
        // Most have nothing under way.
    }

    /** Times that were noted are so many ticks later now. */
    void shift(long ahead) {
        // Most note none.
    }

    /**
     * What it has come to, as the client's struct has it.
     *
     * @param now the records' timer
     */
    abstract void reply(ByteBuffer into, long now);
}
