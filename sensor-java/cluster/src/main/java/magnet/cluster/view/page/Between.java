// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import magnet.cluster.view.index.Arrows;
import magnet.cluster.view.index.Marker;
import magnet.cluster.view.index.NodeIndex;
import magnet.cluster.view.index.Subject;

/** What is no slice: packets from node to node, and markers. Stateless but for the view. */
final class Between {
    private final View view;

    Between(View view) {
        this.view = view;
    }

    /** Gets arrows. */
    @FunctionalInterface
    interface Visitor {
        /** One of them. */
        void onArrow(Arrows.Tip sent, Arrows.Tip received);
    }

    /**
     * Hands over the arrows of a time; if there are more than so many, some of them that lie evenly.
     *
     * @return how many there are
     */
    long forEach(Query.Span span, int most, Visitor visitor) {
        Arrows arrows = view.index().arrows();
        long first = arrows.first(span.from());
        long behind = arrows.behind(span.to());
        long count = 0;
        for (long arrow = first; arrow < behind; arrow++) {
            count += arrows.touches(arrow, span.from(), span.to()) ? 1 : 0;
        }
        long step = Math.max(1, (count + most - 1) / most);
        long seen = 0;
        for (long arrow = first; arrow < behind; arrow++) {
            if (arrows.touches(arrow, span.from(), span.to()) && seen++ % step == 0) {
                visitor.onArrow(arrows.sent(arrow), arrows.received(arrow));
            }
        }
        return count;
    }

    /** The arrows of a time, as {@link #forEach} hands them over. */
    Map<String, Object> arrows(Query.Span span, int most) {
        List<Object> rows = new ArrayList<>();
        long count = forEach(span, most, (sent, received) -> rows.add(describe(sent, received)));
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("arrows", rows);
        all.put("in_all", count);
        return all;
    }

    private Map<String, Object> describe(Arrows.Tip sent, Arrows.Tip received) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("from_node", sent.node());
        row.put("from_cpu", cpu(sent));
        row.put("sent", sent.ns());
        row.put("to_node", received.node());
        row.put("to_cpu", cpu(received));
        row.put("received", received.ns());
        row.put("bound", view.bounds().halfWidthNs(sent.node(), received.node(), sent.ns()));
        int subject = view.node(sent.node()).packets().subject(sent.entry());
        if (Subject.isBusy(subject)) {
            row.put("sender", Named.name(view.node(sent.node()).threads().of(subject)));
        }
        return row;
    }

    /** Which of the node's CPUs, by order. */
    int cpu(Arrows.Tip tip) {
        NodeIndex node = view.node(tip.node());
        int number = node.packets().cpu(tip.entry());
        for (int i = 0; i < node.cpus().size(); i++) {
            if (node.cpus().get(i).cpu() == number) {
                return i;
            }
        }
        return 0;
    }

    /** The markers of a time, at most so many of each node. */
    Map<String, Object> markers(Query.Span span, int most) {
        List<Object> rows = new ArrayList<>();
        long count = 0;
        for (int node = 0; node < view.index().nodes().size(); node++) {
            NodeIndex its = view.node(node);
            long from = its.axis().ticks(span.from());
            long to = its.axis().ticks(span.to());
            int ofNode = 0;
            for (Marker marker : its.markers()) {
                if (marker.at() >= from && marker.at() < to) {
                    count++;
                    if (ofNode++ < most) {
                        rows.add(describe(node, marker));
                    }
                }
            }
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("markers", rows);
        all.put("in_all", count);
        return all;
    }

    private Map<String, Object> describe(int node, Marker marker) {
        NodeIndex its = view.node(node);
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("node", node);
        for (int i = 0; i < its.cpus().size(); i++) {
            if (its.cpus().get(i).cpu() == marker.cpu()) {
                row.put("cpu", i);
            }
        }
        row.put("at", its.axis().ns(marker.at()));
        row.put("text", marker.text());
        row.put("name", Named.name(its.threads().of(marker.thread())));
        return row;
    }
}
