// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import magnet.spi.Count;
import magnet.spi.Event;
import magnet.spi.Field;
import magnet.spi.HandlerSetup;
import org.jspecify.annotations.Nullable;

/** How many events there are, or the sum of one of their fields. For one thread. */
final class DeclaredCount extends DeclaredHandler {
    private @Nullable Field field;
    private @Nullable Count count;

    DeclaredCount(HandlerDefinition definition) {
        super(definition);
    }

    @Override
    public void begin(HandlerSetup setup) {
        field = definition.field().map(setup.fields(0)::field).orElse(null);
        count = definition.kind() == DeclaredKind.RATE
                ? setup.rate(definition.metric())
                : setup.count(definition.metric());
    }

    @Override
    public void onEvent(Event event) {
        if (count != null) {
            count.add(field == null ? 1 : event.number(field));
        }
    }
}
