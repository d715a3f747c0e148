// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import magnet.spi.Distribution;
import magnet.spi.Event;
import magnet.spi.Field;
import magnet.spi.HandlerSetup;
import org.jspecify.annotations.Nullable;

/** How a field of the events is distributed; a function's latency in microseconds. For one thread. */
final class DeclaredDistribution extends DeclaredHandler {
    private @Nullable Field field;
    private @Nullable Distribution distribution;

    DeclaredDistribution(HandlerDefinition definition) {
        super(definition);
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
