// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import magnet.cluster.view.index.NodeIndex;
import magnet.cluster.view.index.ThreadHistory;
import magnet.cluster.view.index.ThreadHistory.State;

/** What single threads did. Keeps the histories of the last ones that were asked for. Thread-safe. */
final class ThreadLanes {
    private static final int KEPT = 8;
    private static final int MOST = 2_000;
    private static final int STATES = State.values().length;

    private record Key(int node, int thread) {}

    private final View view;

    private final Map<Key, ThreadHistory> histories = new LinkedHashMap<>(16, 0.75f, true);

    ThreadLanes(View view) {
        this.view = view;
    }

    private synchronized ThreadHistory history(int node, int thread) {
        Key key = new Key(node, thread);
        ThreadHistory history = histories.get(key);
        if (history == null) {
            history = ThreadHistory.of(view.node(node), thread);
            if (histories.size() == KEPT) {
                histories.remove(histories.keySet().iterator().next());
            }
            histories.put(key, history);
        }
        return history;
    }

    /** Of each pixel a byte for each {@link State}, in their order: its share, of 255. */
    byte[] pixels(int node, int thread, Query.Span span, int width) {
        long[] edges = Pixels.edges(view.node(node), span, width);
        long[][] ticks = history(node, thread).pixels(edges);
        byte[] bytes = new byte[width * STATES];
        for (int pixel = 0; pixel < width; pixel++) {
            for (int state = 0; state < STATES; state++) {
                bytes[pixel * STATES + state] = Pixels.share(ticks[pixel][state], edges[pixel + 1] - edges[pixel]);
            }
        }
        return bytes;
    }

    /** What a thread did, one by one, unless that is too much. */
    Map<String, Object> slices(int node, int thread, Query.Span span) {
        NodeIndex its = view.node(node);
        ThreadHistory history = history(node, thread);
        List<ThreadHistory.Span> spans =
                history.spans(its.axis().ticks(span.from()), its.axis().ticks(span.to()));
        List<Object> rows = new ArrayList<>();
        if (spans.size() <= MOST) {
            for (ThreadHistory.Span each : spans) {
                rows.add(describe(its, each));
            }
        }
        Map<String, Object> all = Named.thread(its, thread);
        all.put("colour", view.colours().of(node, thread));
        all.put("whole", history.isWhole());
        all.put("spans", rows);
        all.put("in_all", spans.size());
        return all;
    }

    private static Map<String, Object> describe(NodeIndex node, ThreadHistory.Span span) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("from", node.axis().ns(span.from()));
        row.put("to", node.axis().ns(span.to()));
        row.put("state", span.state().label());
        if (span.cpu() >= 0) {
            row.put("cpu", node.cpus().get(span.cpu()).cpu());
        }
        row.put("why", span.why().label());
        row.put("cause", Named.cause(node, span.cause()));
        return row;
    }
}
