// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.List;
import java.util.Optional;
import magnet.metric.Level;
import magnet.spi.Description;
import magnet.spi.Handler;
import magnet.spi.Point;

/**
 * A declared handler whose every part is known to fit together. Immutable.
 *
 * @param name its name
 * @param kind what it makes of its events
 * @param points one, or for intervals that end elsewhere two
 * @param field what is added up or distributed, if not the number of events
 * @param by field that both ends of an interval have alike
 * @param filter name of the filter that is asked, if any
 * @param metric what it is published as
 * @param level lowest level that has it
 */
public record HandlerDefinition(
        String name,
        DeclaredKind kind,
        List<Point> points,
        Optional<String> field,
        String by,
        Optional<String> filter,
        Description metric,
        Level level) {
    public HandlerDefinition {
        points = List.copyOf(points);
    }

    /** Makes the handler. */
    Handler handler() {
        return switch (kind) {
            case COUNT, RATE -> new DeclaredCount(this);
            case DISTRIBUTION -> new DeclaredDistribution(this);
            case INTERVAL -> new DeclaredInterval(this);
        };
    }

    /** Whether the field is the latency of a function, which is in ticks of the records' timer. */
    boolean isLatency() {
        return field.filter("latency"::equals).isPresent()
                && points.get(0).point().strip().startsWith("r");
    }
}
