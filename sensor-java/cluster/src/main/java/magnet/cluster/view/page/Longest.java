// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import magnet.cluster.view.index.Arrows;
import magnet.cluster.view.index.CpuIndex;
import magnet.cluster.view.index.NodeIndex;
import magnet.cluster.view.index.Subject;

/** The longest waits and gaps of a time, over all nodes. Stateless but for the view. */
final class Longest {
    private final View view;

    Longest(View view) {
        this.view = view;
    }

    /** Where one is. */
    private record Found(int node, int cpu, long index, long fromNs, long toNs) {
        long length() {
            return toNs - fromNs;
        }
    }

    /**
     * Finds them.
     *
     * @param kind {@code waits}: threads that could run and did not; {@code idle}: gaps in which a CPU had nothing to do; {@code
     *     remote}: waits of threads for which a packet lay there, so that another node may have waited for them
     */
    List<Object> of(String kind, Query.Span span, int most) throws BadRequestException {
        List<Found> all = new ArrayList<>();
        for (int node = 0; node < view.index().nodes().size(); node++) {
            NodeIndex its = view.node(node);
            long from = Math.max(0, its.axis().ticks(span.from()));
            long to = Math.min(its.end(), its.axis().ticks(span.to()));
            for (int cpu = 0; cpu < its.cpus().size(); cpu++) {
                switch (kind) {
                    case "waits" -> addWaits(all, node, cpu, from, to, most);
                    case "idle" -> addIdle(all, node, cpu, from, to, most);
                    case "remote" -> addRemote(all, node, cpu, from, to, most);
                    default -> throw new BadRequestException("kind wants waits, idle or remote");
                }
            }
        }
        all.sort(Comparator.comparingLong(Found::length).reversed().thenComparingLong(Found::fromNs));
        List<Object> rows = new ArrayList<>();
        for (Found each : all.subList(0, Math.min(most, all.size()))) {
            rows.add(describe(kind, each));
        }
        return rows;
    }

    private void addWaits(List<Found> all, int node, int cpu, long from, long to, int most) {
        NodeIndex its = view.node(node);
        CpuIndex index = its.cpus().get(cpu);
        long first = index.threads().firstFrom(from);
        for (long slice : index.waits().longest(first, index.threads().firstFrom(to + 1), most)) {
            long begin = index.threads().begin(slice);
            all.add(new Found(
                    node,
                    cpu,
                    slice,
                    its.axis().ns(begin - index.waits().length(slice)),
                    its.axis().ns(begin)));
        }
    }

    private void addIdle(List<Found> all, int node, int cpu, long from, long to, int most) {
        NodeIndex its = view.node(node);
        CpuIndex index = its.cpus().get(cpu);
        for (long slice : index.threads().longestIdle(from, to, most)) {
            all.add(new Found(
                    node,
                    cpu,
                    slice,
                    its.axis().ns(index.threads().begin(slice)),
                    its.axis().ns(index.threads().end(slice))));
        }
    }

    private void addRemote(List<Found> all, int node, int cpu, long from, long to, int most) {
        NodeIndex its = view.node(node);
        CpuIndex index = its.cpus().get(cpu);
        for (long wait : index.packetWaits().longest(from, to, most)) {
            all.add(new Found(
                    node,
                    cpu,
                    wait,
                    its.axis().ns(index.packetWaits().begin(wait)),
                    its.axis().ns(index.packetWaits().end(wait))));
        }
    }

    private Map<String, Object> describe(String kind, Found found) {
        NodeIndex node = view.node(found.node);
        CpuIndex cpu = node.cpus().get(found.cpu);
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("node", found.node);
        row.put("cpu", found.cpu);
        row.put("from", found.fromNs);
        row.put("to", found.toNs);
        if (kind.equals("idle")) {
            return row;
        }
        long slice = kind.equals("remote") ? cpu.packetWaits().slice(found.index) : found.index;
        row.putAll(Named.thread(node, cpu.threads().subject(slice)));
        row.put("cause", Named.cause(node, cpu.waits().cause(slice)));
        int ran = most(node, cpu, found);
        if (ran >= 0) {
            row.put("ran", Named.name(node.threads().of(ran)));
        }
        if (kind.equals("remote")) {
            addSender(row, found.node, cpu.packetWaits().received(found.index));
        }
        return row;
    }

    /** Who had the CPU meanwhile for the longest time; negative if nobody had it. */
    private static int most(NodeIndex node, CpuIndex cpu, Found found) {
        long slice = cpu.threads()
                .busiest(node.axis().ticks(found.fromNs), node.axis().ticks(found.toNs));
        return slice < 0 ? -1 : cpu.threads().subject(slice);
    }

    private void addSender(Map<String, Object> row, int node, long received) {
        row.put("packet", view.node(node).axis().ns(received));
        long at = view.node(node).axis().ns(received);
        Arrows arrows = view.index().arrows();
        long behind = arrows.behind(at);
        for (long arrow = arrows.first(at); arrow < behind; arrow++) {
            Arrows.Tip end = arrows.received(arrow);
            if (end.node() == node && end.ns() == at) {
                Arrows.Tip sent = arrows.sent(arrow);
                row.put("sender_node", sent.node());
                int subject = view.node(sent.node()).packets().subject(sent.entry());
                if (Subject.isBusy(subject)) {
                    row.put(
                            "sender",
                            Named.name(view.node(sent.node()).threads().of(subject)));
                }
                return;
            }
        }
    }
}
