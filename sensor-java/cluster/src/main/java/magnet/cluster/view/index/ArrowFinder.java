// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Finds the packets that two nodes have in common: goes through all logs in the order of time. What a node sent twice with one
 * key has no arrow. A packet whose other end has not come when {@value #WAITING} others have begun is taken to have none. For
 * one thread.
 */
final class ArrowFinder {
    static final int WAITING = 1 << 17;

    /** Where the reading of a node's log is. */
    private static final class Reading {
        private final int node;
        private final NodeIndex index;
        private long entry = -1;
        private long ns;

        Reading(int node, NodeIndex index) {
            this.node = node;
            this.index = index;
        }

        /** Goes to the next entry; false if there is none. */
        boolean advance() {
            entry++;
            if (entry >= index.packets().size()) {
                return false;
            }
            ns = index.axis().ns(index.packets().at(entry));
            return true;
        }

        Arrows.Tip tip() {
            return new Arrows.Tip(ns, node, entry);
        }
    }

    /** What is known of a key. */
    private static final class Ends {
        private final long begin;
        private Arrows.@Nullable Tip sent;
        private boolean ambiguous;
        private final List<Arrows.Tip> received = new ArrayList<>(1);

        Ends(long begin) {
            this.begin = begin;
        }

        void take(boolean isSent, Arrows.Tip tip) {
            if (!isSent) {
                if (received.stream().noneMatch(each -> each.node() == tip.node())) {
                    received.add(tip);
                }
            } else if (sent == null) {
                sent = tip;
            } else {
                ambiguous = true;
            }
        }

        void put(Arrows arrows) throws IOException {
            if (sent == null) {
                return;
            }
            boolean elsewhere = false;
            for (Arrows.Tip each : received) {
                elsewhere |= each.node() != sent.node();
                if (each.node() != sent.node() && !ambiguous) {
                    arrows.add(begin, sent, each);
                }
            }
            if (ambiguous && elsewhere) {
                arrows.addAmbiguous();
            }
        }
    }

    private final Map<Long, Ends> waiting = new LinkedHashMap<>();
    private final Arrows arrows;

    private ArrowFinder(Arrows arrows) {
        this.arrows = arrows;
    }

    /**
     * Finds them.
     *
     * @param file for them, which is not mapped yet
     */
    static Arrows find(List<NodeIndex> nodes, PagedFile file) throws IOException {
        Arrows arrows = new Arrows(file);
        if (nodes.size() > 1) {
            new ArrowFinder(arrows).go(nodes);
        }
        arrows.finish();
        return arrows;
    }

    private void go(List<NodeIndex> nodes) throws IOException {
        PriorityQueue<Reading> readings = new PriorityQueue<>(
                Comparator.comparingLong((Reading each) -> each.ns).thenComparingInt(each -> each.node));
        for (int node = 0; node < nodes.size(); node++) {
            Reading reading = new Reading(node, nodes.get(node));
            if (reading.advance()) {
                readings.add(reading);
            }
        }
        while (!readings.isEmpty()) {
            Reading reading = readings.remove();
            take(reading);
            if (reading.advance()) {
                readings.add(reading);
            }
        }
        for (Ends each : waiting.values()) {
            each.put(arrows);
        }
    }

    private void take(Reading reading) throws IOException {
        PacketLog log = reading.index.packets();
        Ends ends = waiting.computeIfAbsent(log.key(reading.entry), unused -> new Ends(reading.ns));
        ends.take(log.isSent(reading.entry), reading.tip());
        if (waiting.size() > WAITING) {
            Map.Entry<Long, Ends> oldest = waiting.entrySet().iterator().next();
            oldest.getValue().put(arrows);
            waiting.remove(oldest.getKey());
        }
    }
}
