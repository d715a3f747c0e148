// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.List;
import magnet.spi.Distribution;
import magnet.spi.Event;
import magnet.spi.Field;
import magnet.spi.Handler;
import magnet.spi.HandlerSetup;
import magnet.spi.Point;
import org.jspecify.annotations.Nullable;

/** How a field of the events is distributed; a function's latency in microseconds. For one thread. */
final class DeclaredDistribution implements Handler {
    private final HandlerDefinition definition;
    private @Nullable Field field;
    private @Nullable Distribution distribution;

    DeclaredDistribution(HandlerDefinition definition) {
        this.definition = definition;
    }

    @Override
    public String name() {
        return definition.name();
    }

    @Override
    public List<Point> points() {
        return definition.points();
    }

    @Override
    public void begin(HandlerSetup setup) {
        field = setup.fields(0).field(definition.field().orElseThrow());
        distribution =
                definition.isLatency() ? setup.times(definition.metric()) : setup.distribution(definition.metric(), 1);
    }

    @Override
    public void onEvent(Event event) {
        if (field != null && distribution != null) {
            distribution.record(event.number(field));
        }
    }
}
