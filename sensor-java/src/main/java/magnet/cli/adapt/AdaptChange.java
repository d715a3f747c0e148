// SPDX-License-Identifier: Apache-2.0
package magnet.cli.adapt;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import magnet.adapt.Condition;
import magnet.adapt.Interval;
import magnet.cli.world.Counted;
import magnet.json.Json;

/**
 * A change as {@code magnet adapt} tells of it. Immutable.
 *
 * @param condition what begins or ends
 * @param begins whether it begins
 * @param interval whose end that is at
 * @param stopped whether it ends because the command does
 * @param trace what was saved of a flight recorder because of it; empty if nothing was
 */
public record AdaptChange(
        Condition condition, boolean begins, Interval interval, boolean stopped, Optional<Path> trace) {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);
    private static final int DECIMALS = 6;

    private String state() {
        return begins ? "begins" : "ends";
    }

    private double value() {
        return interval.value(condition.metric()).orElse(0);
    }

    /** In digits, never with an exponent: shells compute with it. */
    private String digits() {
        BigDecimal rounded = BigDecimal.valueOf(value()).setScale(DECIMALS, RoundingMode.HALF_UP);
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }

    /** For people. */
    String text(ZoneId zone) {
        return "%s  %-6s  %s: %s %s%s%s"
                .formatted(
                        TIME.format(interval.ended().atZone(zone)),
                        state(),
                        condition,
                        digits(),
                        condition.unit(),
                        doubt(),
                        stopped ? ", as magnet adapt does" : "");
    }

    private String doubt() {
        return (interval.lost() > 0 ? ", " + Counted.were(interval.lost(), "event") + " lost" : "")
                + (interval.jumped() ? ", the timer jumped" : "");
    }

    /** For programs. */
    String json() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("time", interval.ended().toString());
        all.put("state", state());
        all.put("condition", condition.toString());
        all.put("metric", condition.metric());
        all.put("value", value());
        all.put("unit", condition.unit());
        all.put("interval_s", interval.seconds());
        all.put("lost", interval.lost());
        all.put("clock_jumped", interval.jumped());
        all.put("stopped", stopped);
        trace.ifPresent(folder -> all.put("trace", folder.toString()));
        return Json.of(all);
    }

    /** For the command that it starts. */
    Map<String, String> environment() {
        return Map.of(
                "MAGNET_STATE", state(),
                "MAGNET_CONDITION", condition.toString(),
                "MAGNET_METRIC", condition.metric(),
                "MAGNET_VALUE", digits(),
                "MAGNET_UNIT", condition.unit(),
                "MAGNET_LOST", Long.toString(interval.lost()),
                "MAGNET_TRACE", trace.map(Path::toString).orElse(""));
    }
}
