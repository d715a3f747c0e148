// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.util.List;
import magnet.cluster.view.index.CpuIndex;
import magnet.cluster.view.index.Lane;
import magnet.cluster.view.index.NodeIndex;

/**
 * What pixels of lanes show. Of each lane, for each pixel from left to right, {@value #BYTES} bytes:
 *
 * <pre>
 *  0 busy    share that threads had
 *  1 colour  of the thread that had most of it, 0 = none
 *  2 lost    share that is lost, or that the trace does not tell
 *  3 hard    share of handlers of hard interrupts
 *  4 soft    share of handlers of soft interrupts
 *  5 late    share in which a thread waited for the CPU although it had a packet
 * </pre>
 *
 * <p>Shares are of 255. One that is not 0 is at least 1, so that nothing is too short to be seen. Stateless.
 */
final class Pixels {
    static final int BYTES = 6;

    private static final int WHOLE = 255;
    private static final int LOST_AT = 2;
    private static final int HARD_AT = 3;
    private static final int SOFT_AT = 4;
    private static final int LATE_AT = 5;

    /**
     * A CPU of a node.
     *
     * @param node number of the node
     * @param cpu which of its CPUs, by order
     */
    record LaneId(int node, int cpu) {}

    private Pixels() {}

    /** The bytes of lanes, one behind the other. */
    static byte[] of(View view, List<LaneId> lanes, Query.Span span, int width) {
        byte[] bytes = new byte[lanes.size() * width * BYTES];
        int at = 0;
        int before = -1;
        long[] edges = {};
        for (LaneId lane : lanes) {
            NodeIndex node = view.node(lane.node);
            if (lane.node != before) {
                edges = edges(node, span, width);
                before = lane.node;
            }
            fill(view, lane, node.cpus().get(lane.cpu), edges, bytes, at);
            at += width * BYTES;
        }
        return bytes;
    }

    /** Where pixels begin and end, in ticks of a node. */
    static long[] edges(NodeIndex node, Query.Span span, int width) {
        long[] edges = new long[width + 1];
        for (int pixel = 0; pixel <= width; pixel++) {
            edges[pixel] = node.axis().ticks(span.edge(pixel, width));
        }
        return edges;
    }

    private static void fill(View view, LaneId id, CpuIndex cpu, long[] edges, byte[] bytes, int from) {
        Lane threads = cpu.threads();
        long end = view.node(id.node).end();
        threads.pixels(edges, (pixel, busy, idle, busiest) -> {
            int at = from + pixel * BYTES;
            long length = edges[pixel + 1] - edges[pixel];
            long known = Math.max(0, Math.min(edges[pixel + 1], end) - Math.max(edges[pixel], 0));
            bytes[at] = share(busy, length);
            bytes[at + 1] = (byte) (busiest < 0 ? 0 : view.colours().of(id.node, threads.subject(busiest)));
            bytes[at + LOST_AT] = share(known - busy - idle, length);
        });
        fill(cpu.hard(), edges, bytes, from + HARD_AT);
        fill(cpu.soft(), edges, bytes, from + SOFT_AT);
        fill(cpu.late(), edges, bytes, from + LATE_AT);
    }

    private static void fill(Lane lane, long[] edges, byte[] bytes, int from) {
        if (lane.size() > 0) {
            lane.shares(
                    edges,
                    (pixel, busy, idle, busiest) ->
                            bytes[from + pixel * BYTES] = share(busy, edges[pixel + 1] - edges[pixel]));
        }
    }

    /** Of 255. */
    static byte share(long part, long whole) {
        if (part <= 0 || whole <= 0) {
            return 0;
        }
        return (byte) Math.max(1, Math.min(WHOLE, Math.round((double) part * WHOLE / whole)));
    }
}
