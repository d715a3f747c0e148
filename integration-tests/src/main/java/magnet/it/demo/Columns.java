// SPDX-License-Identifier: Apache-2.0
package magnet.it.demo;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import magnet.it.ganglia.GmondMetric;
import magnet.it.ganglia.GmondXml;

/** Two columns of metrics side by side, both out of what the same gmond told. */
final class Columns {
    private static final int WIDTH = 48;

    private Columns() {}

    /** The table; a metric that gmond does not have shows as "-". */
    static String of(GmondXml leftXml, List<String> left, GmondXml rightXml, List<String> right) {
        List<String> lines = new ArrayList<>();
        lines.add(row("gmond's own, from /proc", "magnet's, from events"));
        lines.add(row("-".repeat(WIDTH - 3), "-".repeat(WIDTH + 16)));
        for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
            lines.add(row(cell(leftXml, left, i, 22), cell(rightXml, right, i, 38)));
        }
        return String.join(System.lineSeparator(), lines);
    }

    /** Three decimals are enough to look at; the XML has more. */
    private static String shortened(GmondMetric metric) {
        return new BigDecimal(metric.value())
                .setScale(3, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString();
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
        String value = metric.map(Columns::shortened).orElse("-");
        String unit = metric.map(GmondMetric::units).orElse("");
        return ("%-" + nameWidth + "s %10s %s").formatted(name, value, unit.strip());
    }
}
