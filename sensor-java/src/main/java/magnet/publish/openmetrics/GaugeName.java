// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import io.prometheus.metrics.model.snapshots.Unit;
import org.jspecify.annotations.Nullable;

/**
 * What OpenMetrics makes of a name and a unit of the catalogue: times, sizes and shares are given in base units, which
 * stand at the end of the name. Rates and numbers keep their name; what is counted stands in it. Immutable.
 *
 * @param name with the unit at its end
 * @param unit the base unit, if there is one
 * @param perBase what the catalogue's number is to be divided by
 */
record GaugeName(String name, @Nullable Unit unit, double perBase) {
    private static final double MICROS = 1e6;
    private static final double PERCENT = 100;
    private static final String PERCENT_SUFFIX = "_percent";

    /**
     * @param name name in the catalogue
     * @param unit unit there
     */
    static GaugeName of(String name, String unit) {
        return switch (unit) {
            case "us" -> in(Unit.SECONDS, name, MICROS);
            case "s" -> in(Unit.SECONDS, name, 1);
            case "bytes" -> in(Unit.BYTES, name, 1);
            case "%" -> in(Unit.RATIO, withoutPercent(name), PERCENT);
            default -> new GaugeName(name, null, 1);
        };
    }

    /** A number of the catalogue in the base unit. */
    double value(double number) {
        return number / perBase;
    }

    private static GaugeName in(Unit unit, String name, double perBase) {
        return new GaugeName(name + "_" + unit, unit, perBase);
    }

    private static String withoutPercent(String name) {
        return name.endsWith(PERCENT_SUFFIX) ? name.substring(0, name.length() - PERCENT_SUFFIX.length()) : name;
    }
}
