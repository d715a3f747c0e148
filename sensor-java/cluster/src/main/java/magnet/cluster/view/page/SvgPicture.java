// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.util.List;
import java.util.Locale;
import magnet.cluster.view.index.NodeIndex;

/** Draws lanes as SVG: what the page shows, for papers and reports. Stateless but for the view. */
final class SvgPicture {
    private static final int LABELS = 150;
    private static final int TOP = 40;
    private static final int LANE = 26;
    private static final int BAR_TOP = 8;
    private static final int BAR = 14;
    private static final int ARROWS_MOST = 500;
    private static final int TICKS = 10;
    private static final int WHOLE = 255;

    private final View view;

    SvgPicture(View view) {
        this.view = view;
    }

    /** The picture of lanes. */
    String of(List<Pixels.LaneId> lanes, Query.Span span, int width) {
        int height = TOP + lanes.size() * LANE + 30;
        StringBuilder svg = new StringBuilder(1 << 16);
        svg.append("""
                <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d"\
                 font-family="sans-serif" font-size="11">
                <defs><pattern id="lost" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
                <rect width="6" height="6" fill="#ffffff"/><rect width="2" height="6" fill="%3$s"/></pattern></defs>
                <rect width="100%%" height="100%%" fill="#ffffff"/>
                """.formatted(LABELS + width + 10, height, Colours.LOST));
        text(svg, 6, 16, "start", view.title());
        axis(svg, span, width, lanes.size());
        byte[] pixels = Pixels.of(view, lanes, span, width);
        for (int lane = 0; lane < lanes.size(); lane++) {
            lane(svg, lanes.get(lane), lane, pixels, width);
        }
        arrows(svg, lanes, span, width);
        return svg.append("</svg>\n").toString();
    }

    private static void axis(StringBuilder svg, Query.Span span, int width, int lanes) {
        for (int i = 0; i <= TICKS; i++) {
            double x = LABELS + (double) width * i / TICKS;
            svg.append("<line x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"%2$d\" y2=\"%3$d\" stroke=\"#d0d7de\"/>%n"
                    .formatted(x, TOP - 6, TOP + lanes * LANE));
            if (i % 2 == 0) {
                text(svg, (int) x, TOP - 9, "middle", seconds(span.edge(i, TICKS)));
            }
        }
    }

    private static String seconds(long ns) {
        return String.format(Locale.ROOT, "%.6f s", ns / 1e9);
    }

    private void lane(StringBuilder svg, Pixels.LaneId id, int row, byte[] pixels, int width) {
        NodeIndex node = view.node(id.node());
        int top = TOP + row * LANE;
        text(
                svg,
                6,
                top + BAR_TOP + 11,
                "start",
                node.name() + " cpu " + node.cpus().get(id.cpu()).cpu());
        int from = row * width * Pixels.BYTES;
        bars(svg, pixels, from, width, 2, top + BAR_TOP, BAR, "url(#lost)");
        for (int pixel = 0; pixel < width; pixel++) {
            int at = from + pixel * Pixels.BYTES;
            int busy = pixels[at] & WHOLE;
            if (busy > 0) {
                int run = 1;
                while (pixel + run < width
                        && pixels[at + run * Pixels.BYTES] == pixels[at]
                        && pixels[at + run * Pixels.BYTES + 1] == pixels[at + 1]) {
                    run++;
                }
                double high = Math.max(1, BAR * busy / (double) WHOLE);
                rect(svg, pixel, top + BAR_TOP + BAR - high, run, high, Colours.PALETTE.get(pixels[at + 1]));
                pixel += run - 1;
            }
        }
        bars(svg, pixels, from, width, 3, top + 1, 3, Colours.HARD);
        bars(svg, pixels, from, width, 4, top + 4, 3, Colours.SOFT);
        bars(svg, pixels, from, width, 5, top + BAR_TOP + BAR, 3, Colours.LATE);
    }

    /** Marks of one height wherever there is any share of something. */
    private static void bars(
            StringBuilder svg, byte[] pixels, int from, int width, int which, int top, int height, String fill) {
        int begin = -1;
        for (int pixel = 0; pixel <= width; pixel++) {
            boolean any = pixel < width && pixels[from + pixel * Pixels.BYTES + which] != 0;
            if (any && begin < 0) {
                begin = pixel;
            } else if (!any && begin >= 0) {
                rect(svg, begin, top, pixel - begin, height, fill);
                begin = -1;
            }
        }
    }

    private void arrows(StringBuilder svg, List<Pixels.LaneId> lanes, Query.Span span, int width) {
        Between between = new Between(view);
        between.forEach(span, ARROWS_MOST, (sent, received) -> {
            int from = lanes.indexOf(new Pixels.LaneId(sent.node(), between.cpu(sent)));
            int to = lanes.indexOf(new Pixels.LaneId(received.node(), between.cpu(received)));
            if (from >= 0 && to >= 0) {
                svg.append(String.format(
                        Locale.ROOT,
                        "<line class=\"arrow\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#57606a\""
                                + " stroke-width=\"0.7\"/>%n",
                        x(sent.ns(), span, width),
                        TOP + from * LANE + BAR_TOP + BAR / 2,
                        x(received.ns(), span, width),
                        TOP + to * LANE + BAR_TOP + BAR / 2));
            }
        });
    }

    private static double x(long ns, Query.Span span, int width) {
        double share = (double) (ns - span.from()) / (span.to() - span.from());
        return LABELS + Math.max(0, Math.min(1, share)) * width;
    }

    private static void rect(StringBuilder svg, double x, double y, double width, double height, String fill) {
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\" fill=\"%s\"/>%n",
                LABELS + x,
                y,
                width,
                height,
                fill));
    }

    private static void text(StringBuilder svg, int x, int y, String anchor, String text) {
        svg.append("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">".formatted(x, y, anchor));
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            switch (each) {
                case '<' -> svg.append("&lt;");
                case '>' -> svg.append("&gt;");
                case '&' -> svg.append("&amp;");
                default -> svg.append(each);
            }
        }
        svg.append("</text>\n");
    }
}
