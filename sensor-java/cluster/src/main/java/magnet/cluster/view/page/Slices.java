// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import magnet.cluster.view.index.CpuIndex;
import magnet.cluster.view.index.Lane;
import magnet.cluster.view.index.NodeIndex;
import magnet.cluster.view.index.SliceEnd;
import magnet.cluster.view.index.Subject;

/** The slices of a CPU, where there are so few that each can be seen. Stateless but for the view. */
final class Slices {
    static final int MOST = 2_000;

    private final View view;

    Slices(View view) {
        this.view = view;
    }

    /** All of a time; where there are too many of a lane, none of it, and how many there are. */
    Map<String, Object> of(int node, int cpu, Query.Span span) {
        NodeIndex its = view.node(node);
        CpuIndex index = its.cpus().get(cpu);
        long from = its.axis().ticks(span.from());
        long to = Math.max(from + 1, its.axis().ticks(span.to()));
        Map<String, Object> all = new LinkedHashMap<>();
        put(all, "threads", index.threads(), from, to, slice -> thread(node, index, slice));
        put(all, "hard", index.hard(), from, to, slice -> interrupt(its, index.hard(), slice, false));
        put(all, "soft", index.soft(), from, to, slice -> interrupt(its, index.soft(), slice, true));
        return all;
    }

    private interface Describing {
        Map<String, Object> of(long slice);
    }

    private static void put(
            Map<String, Object> all, String name, Lane lane, long from, long to, Describing describing) {
        long first = Math.max(0, lane.at(from));
        long count = Math.max(0, lane.at(to - 1) + 1 - first);
        List<Object> slices = new ArrayList<>();
        if (count <= MOST) {
            lane.forEach(from, to, (slice, begins, ends) -> {
                if (lane.subject(slice) != Subject.NOTHING) {
                    slices.add(describing.of(slice));
                }
            });
        }
        all.put(name, slices);
        all.put(name + "_in_all", count);
    }

    private Map<String, Object> thread(int node, CpuIndex cpu, long slice) {
        NodeIndex its = view.node(node);
        int subject = cpu.threads().subject(slice);
        Map<String, Object> fields = Subject.isBusy(subject) ? Named.thread(its, subject) : new LinkedHashMap<>();
        fields.put("from", its.axis().ns(cpu.threads().begin(slice)));
        fields.put("to", its.axis().ns(cpu.threads().end(slice)));
        fields.put("colour", view.colours().of(node, subject));
        switch (subject) {
            case Subject.IDLE -> fields.put("name", "idle");
            case Subject.LOST -> fields.put("name", "lost");
            case Subject.UNKNOWN -> fields.put("name", "not known");
            default -> describe(fields, its, cpu, slice);
        }
        return fields;
    }

    private static void describe(Map<String, Object> fields, NodeIndex node, CpuIndex cpu, long slice) {
        fields.put("open", cpu.threads().isOpen(slice));
        if (cpu.threads().why(slice) != SliceEnd.UNKNOWN) {
            fields.put("why", cpu.threads().why(slice).label());
        }
        long waited = cpu.waits().length(slice);
        if (waited >= 0) {
            fields.put("waited", node.axis().length(waited));
            fields.put("cause", Named.cause(node, cpu.waits().cause(slice)));
        }
    }

    private static Map<String, Object> interrupt(NodeIndex node, Lane lane, long slice, boolean soft) {
        int number = lane.subject(slice) - Subject.FIRST;
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("from", node.axis().ns(lane.begin(slice)));
        fields.put("to", node.axis().ns(lane.end(slice)));
        fields.put("name", soft ? Named.soft(number) : "interrupt " + number);
        return fields;
    }
}
