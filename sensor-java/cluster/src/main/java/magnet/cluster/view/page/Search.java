// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import magnet.cluster.view.index.Marker;
import magnet.cluster.view.index.NodeIndex;
import magnet.cluster.view.index.Subject;
import magnet.cluster.view.index.ThreadTable;

/** Finds threads by name, id, process or job, and markers by their text. Stateless but for the view. */
final class Search {
    private final View view;

    Search(View view) {
        this.view = view;
    }

    /** What has a text in it, whatever the case of its letters; an id only if it is the whole text. */
    Map<String, Object> of(String text, int most) {
        String wanted = text.strip().toLowerCase(Locale.ROOT);
        List<Object> threads = new ArrayList<>();
        List<Object> markers = new ArrayList<>();
        for (int number = 0; !wanted.isEmpty() && number < view.index().nodes().size(); number++) {
            NodeIndex node = view.node(number);
            for (int i = Subject.FIRST; i < Subject.FIRST + node.threads().size() && threads.size() < most; i++) {
                if (is(node.threads().of(i), wanted)) {
                    Map<String, Object> row = Named.thread(node, i);
                    row.put("node", number);
                    row.put("colour", view.colours().of(number, i));
                    threads.add(row);
                }
            }
            for (Marker marker : node.markers()) {
                if (markers.size() < most && has(marker.text(), wanted)) {
                    markers.add(Map.of("node", number, "at", node.axis().ns(marker.at()), "text", marker.text()));
                }
            }
        }
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("threads", threads);
        found.put("markers", markers);
        return found;
    }

    private static boolean is(ThreadTable.Entry thread, String wanted) {
        return has(thread.name(), wanted)
                || has(thread.job(), wanted)
                || Integer.toString(thread.tid()).equals(wanted)
                || Integer.toString(thread.process()).equals(wanted);
    }

    private static boolean has(String text, String wanted) {
        return text.toLowerCase(Locale.ROOT).contains(wanted);
    }
}
