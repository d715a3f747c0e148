// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.util.ArrayList;
import java.util.List;

/** Pictures of a view, for whoever has no browser. Stateless. */
public final class Picture {
    private Picture() {}

    /**
     * All lanes over the whole time, as SVG.
     *
     * @param width of a lane, pixels
     */
    public static String svg(View view, int width) {
        List<Pixels.LaneId> lanes = new ArrayList<>();
        for (int node = 0; node < view.index().nodes().size(); node++) {
            for (int cpu = 0; cpu < view.node(node).cpus().size(); cpu++) {
                lanes.add(new Pixels.LaneId(node, cpu));
            }
        }
        return new SvgPicture(view).of(lanes, new Query.Span(0, view.index().endNs()), width);
    }
}
