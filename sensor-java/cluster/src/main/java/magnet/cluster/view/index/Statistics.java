// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happened in a time, in figures. Slices of which the trace lacks a begin or an end are not counted, as "magnet report" does
 * not count them; what of them lies in the time is told apart. Immutable.
 *
 * @param fromNs begin of the time
 * @param toNs its end
 * @param nodes what each node did
 * @param arrows packets from one node to another that were under way
 */
public record Statistics(long fromNs, long toNs, List<Node> nodes, long arrows) {
    /**
     * One node. Times are ticks of it.
     *
     * @param ticks of the time that the node's trace has
     * @param slices of threads
     * @param busyTicks of these, over all CPUs
     * @param openTicks of slices that the trace does not have as a whole
     * @param idleTicks over all CPUs
     * @param idleGaps times in which a CPU was idle
     * @param longestIdleTicks the longest of them
     * @param hardTicks in handlers of hard interrupts
     * @param softTicks in handlers of soft interrupts
     * @param waits slices that were waited for, of those that begin in the time
     * @param waitTicks of these waits
     * @param longestWaitTicks the longest of them
     * @param lateWaits those of them in which a packet lay in the thread's socket
     * @param lateTicks of these, as far as there was a packet
     * @param longestLateTicks the longest of them
     * @param threads that ran, by time
     */
    public record Node(
            long ticks,
            long slices,
            long busyTicks,
            long openTicks,
            long idleTicks,
            long idleGaps,
            long longestIdleTicks,
            long hardTicks,
            long softTicks,
            long waits,
            long waitTicks,
            long longestWaitTicks,
            long lateWaits,
            long lateTicks,
            long longestLateTicks,
            List<Row> threads) {}

    /**
     * One thread of a node.
     *
     * @param subject the thread
     * @param slices that it had
     * @param busyTicks of these
     * @param waitTicks that it waited for CPUs before those of its slices that begin in the time
     */
    public record Row(int subject, long slices, long busyTicks, long waitTicks) {}

    /** Counts what happened in a time of the run. */
    public static Statistics of(RunIndex index, long fromNs, long toNs) {
        List<Node> nodes = new ArrayList<>();
        for (NodeIndex node : index.nodes()) {
            long from = Math.max(0, node.axis().ticks(fromNs));
            long to = Math.min(node.end(), node.axis().ticks(toNs));
            nodes.add(new Counting(node, from, Math.max(from, to)).count());
        }
        Arrows arrows = index.arrows();
        long under = 0;
        long behind = arrows.behind(toNs);
        for (long arrow = arrows.first(fromNs); arrow < behind; arrow++) {
            under += arrows.touches(arrow, fromNs, toNs) ? 1 : 0;
        }
        return new Statistics(fromNs, toNs, nodes, under);
    }

    /** Sums of a thread. */
    private static final class Sums {
        private long slices;
        private long busy;
        private long waited;
    }

    /** Counts in one node. */
    private static final class Counting {
        private final NodeIndex node;
        private final long from;
        private final long to;
        /** By number, less {@link Subject#FIRST}; the last one is of threads that have no number. */
        private final @Nullable Sums[] threads;

        private long slices;
        private long busy;
        private long open;
        private long idle;
        private long idleGaps;
        private long longestIdle;
        private long waits;
        private long waited;
        private long longestWait;
        private long lateWaits;
        private long late;
        private long longestLate;

        Counting(NodeIndex node, long from, long to) {
            this.node = node;
            this.from = from;
            this.to = to;
            this.threads = new Sums[node.threads().size() + 1];
        }

        Node count() {
            long hard = 0;
            long soft = 0;
            for (CpuIndex cpu : node.cpus()) {
                cpu.threads().forEach(from, to, (slice, begins, ends) -> add(cpu, slice, ends - begins));
                hard += cpu.hard().busy(from, to);
                soft += cpu.soft().busy(from, to);
                addLate(cpu.packetWaits());
            }
            List<Row> rows = new ArrayList<>();
            for (int i = 0; i < threads.length; i++) {
                Sums sums = threads[i];
                if (sums != null) {
                    rows.add(new Row(Subject.FIRST + i, sums.slices, sums.busy, sums.waited));
                }
            }
            rows.sort(Comparator.comparingLong(Row::busyTicks).reversed().thenComparingInt(Row::subject));
            return new Node(
                    to - from,
                    slices,
                    busy,
                    open,
                    idle,
                    idleGaps,
                    longestIdle,
                    hard,
                    soft,
                    waits,
                    waited,
                    longestWait,
                    lateWaits,
                    late,
                    longestLate,
                    rows);
        }

        private void add(CpuIndex cpu, long slice, long length) {
            int subject = cpu.threads().subject(slice);
            if (subject == Subject.IDLE) {
                idle += length;
                idleGaps++;
                longestIdle = Math.max(longestIdle, length);
            } else if (Subject.isBusy(subject)) {
                Sums sums = sums(subject);
                if (cpu.threads().isOpen(slice)) {
                    open += length;
                } else {
                    slices++;
                    busy += length;
                    sums.slices++;
                    sums.busy += length;
                }
                addWait(cpu.waits().length(slice), cpu.threads().begin(slice), sums);
            }
        }

        private Sums sums(int subject) {
            int place = Math.min(subject - Subject.FIRST, threads.length - 1);
            Sums sums = threads[place];
            if (sums == null) {
                sums = new Sums();
                threads[place] = sums;
            }
            return sums;
        }

        private void addWait(long wait, long begins, Sums sums) {
            if (wait >= 0 && begins >= from) {
                waits++;
                waited += wait;
                longestWait = Math.max(longestWait, wait);
                sums.waited += wait;
            }
        }

        private void addLate(PacketWaits all) {
            long behind = all.firstEnding(to + 1);
            for (long each = all.firstEnding(from + 1); each < behind; each++) {
                long length = all.end(each) - all.begin(each);
                lateWaits++;
                late += length;
                longestLate = Math.max(longestLate, length);
            }
        }
    }
}
