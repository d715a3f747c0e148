// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * What one thread did, over all CPUs: it ran, waited for a CPU, or slept. Made on demand, by going through the slices of its node
 * (some 10 ns each). Memory: some 170 bytes a slice of the thread, of which there may be {@value #MOST}. Times are ticks of the node.
 * Immutable.
 */
public final class ThreadHistory {
    /** Slices of a thread that are looked at; what comes later is left out. */
    public static final int MOST = 1 << 17;

    /** What a thread did for a while. */
    public enum State {
        RUNNING(0),
        /** It could run, and did not. */
        RUNNABLE(1),
        /** The same, and a packet for it lay there. */
        LATE(2),
        /** It waited for something. */
        SLEEPING(3),
        /** It waited for something that no signal ends. */
        DISK_SLEEP(4),
        /** It was stopped, traced, or not to run. */
        STOPPED(5),
        /** The trace does not say. */
        UNKNOWN(6);

        private final int number;

        State(int number) {
            this.number = number;
        }

        /** What it is called in answers. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A time in which it did one thing.
     *
     * @param from begin
     * @param to end
     * @param state what it did
     * @param cpu which of the node's CPUs it ran on or waited for, by order; negative if on none
     * @param cause what made it runnable, of waits for a CPU
     * @param why it left the CPU before, of what is no running
     */
    public record Span(long from, long to, State state, int cpu, Cause cause, SliceEnd why) {}

    private final List<Span> spans;
    private final boolean whole;

    private ThreadHistory(List<Span> spans, boolean whole) {
        this.spans = spans;
        this.whole = whole;
    }

    /** A slice of it. */
    private record Ran(int cpu, long slice, long begin) {}

    /** That of a thread. */
    public static ThreadHistory of(NodeIndex node, int subject) {
        List<Ran> ran = new ArrayList<>();
        boolean whole = true;
        for (int cpu = 0; cpu < node.cpus().size(); cpu++) {
            Lane lane = node.cpus().get(cpu).threads();
            for (long slice = 0; slice < lane.size() && whole; slice++) {
                if (lane.subject(slice) == subject) {
                    ran.add(new Ran(cpu, slice, lane.begin(slice)));
                    whole = ran.size() < MOST;
                }
            }
        }
        ran.sort(Comparator.comparingLong(Ran::begin));
        List<Span> spans = new ArrayList<>();
        for (int i = 0; i < ran.size(); i++) {
            if (i > 0) {
                addGap(node, ran.get(i - 1), ran.get(i), spans);
            } else {
                addWait(node, ran.get(0), 0, SliceEnd.UNKNOWN, spans);
            }
            CpuIndex cpu = node.cpus().get(ran.get(i).cpu);
            long slice = ran.get(i).slice;
            spans.add(new Span(
                    cpu.threads().begin(slice),
                    cpu.threads().end(slice),
                    State.RUNNING,
                    ran.get(i).cpu,
                    Cause.NONE,
                    cpu.threads().why(slice)));
        }
        return new ThreadHistory(spans, whole);
    }

    private static void addGap(NodeIndex node, Ran before, Ran next, List<Span> spans) {
        Lane left = node.cpus().get(before.cpu).threads();
        long from = left.end(before.slice);
        SliceEnd why = left.why(before.slice);
        long waitFrom = addWait(node, next, from, why, new ArrayList<>());
        if (from < waitFrom) {
            spans.add(new Span(from, waitFrom, state(why), -1, Cause.NONE, why));
        }
        addWait(node, next, from, why, spans);
    }

    /** Adds how it waited for the CPU; returns since when. */
    private static long addWait(NodeIndex node, Ran next, long notBefore, SliceEnd why, List<Span> spans) {
        CpuIndex cpu = node.cpus().get(next.cpu);
        long waited = cpu.waits().length(next.slice);
        if (waited < 0) {
            return next.begin;
        }
        Cause cause = cpu.waits().cause(next.slice);
        long from = Math.max(notBefore, next.begin - waited);
        long late = cpu.packetWaits().ofSlice(next.slice);
        long lateFrom = late < 0 ? next.begin : Math.max(from, cpu.packetWaits().begin(late));
        if (from < lateFrom) {
            spans.add(new Span(from, lateFrom, State.RUNNABLE, next.cpu, cause, why));
        }
        if (lateFrom < next.begin) {
            spans.add(new Span(lateFrom, next.begin, State.LATE, next.cpu, cause, why));
        }
        return from;
    }

    private static State state(SliceEnd why) {
        return switch (why) {
            case SLEEPING, IDLE -> State.SLEEPING;
            case DISK_SLEEP -> State.DISK_SLEEP;
            case STOPPED, TRACING_STOP, PARKED -> State.STOPPED;
            case UNKNOWN, PREEMPTED, DEAD -> State.UNKNOWN;
        };
    }

    /** Whether all of it is there. */
    public boolean isWhole() {
        return whole;
    }

    /** All that it did, in the order of time. */
    public List<Span> spans() {
        return spans;
    }

    /** What it did in a time. */
    public List<Span> spans(long from, long to) {
        return spans.subList(firstEndingBehind(from), Math.max(firstEndingBehind(from), firstFrom(to)));
    }

    private int firstEndingBehind(long time) {
        int low = -1;
        int high = spans.size();
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (spans.get(middle).to <= time) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }

    private int firstFrom(long time) {
        int low = -1;
        int high = spans.size();
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (spans.get(middle).from < time) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }

    /**
     * Ticks of each state in each pixel.
     *
     * @param edges times, not falling: a pixel is what lies between one and the next
     * @return by pixel, then by the state's number
     */
    public long[][] pixels(long[] edges) {
        long[][] ticks = new long[edges.length - 1][State.values().length];
        int pixel = 0;
        for (Span span : spans(edges[0], edges[edges.length - 1])) {
            while (pixel > 0 && edges[pixel] > span.from) {
                pixel--;
            }
            while (pixel < ticks.length && edges[pixel + 1] <= span.from) {
                pixel++;
            }
            for (int at = pixel; at < ticks.length && edges[at] < span.to; at++) {
                ticks[at][span.state.number] += Math.min(span.to, edges[at + 1]) - Math.max(span.from, edges[at]);
            }
        }
        return ticks;
    }
}
