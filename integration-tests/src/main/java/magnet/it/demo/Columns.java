// SPDX-License-Identifier: Apache-2.0
package magnet.it.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import magnet.it.ganglia.GmondMetric;
import magnet.it.ganglia.GmondXml;

/** Two columns of metrics side by side, both out of the same gmond's XML. */
final class Columns {
    private static final int WIDTH = 45;

    private Columns() {}

    /** The table; a metric that gmond does not have shows as "-". */
    static String of(GmondXml xml, List<String> left, List<String> right) {
        List<String> lines = new ArrayList<>();
        lines.add(row("gmond's own, from /proc", "magnet's, from events"));
        lines.add(row("-".repeat(WIDTH - 3), "-".repeat(WIDTH + 6)));
        for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
            lines.add(row(cell(xml, left, i, 22), cell(xml, right, i, 38)));
        }
        return String.join(System.lineSeparator(), lines);
    }

    private static String row(String left, String right) {
        return ("  %-" + WIDTH + "s%s").formatted(left, right).stripTrailing();
    }

    private static String cell(GmondXml xml, List<String> names, int i, int nameWidth) {
        if (i >= names.size()) {
            return "";
        }
        String name = names.get(i);
        Optional<GmondMetric> metric = xml.metric(name);
        String value = metric.map(GmondMetric::value).orElse("-");
        String unit = metric.map(GmondMetric::units).orElse("");
        return ("%-" + nameWidth + "s %9s %s").formatted(name, value, unit.strip());
    }
}
