// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.List;
import magnet.spi.Handler;
import magnet.spi.Point;

/** What handlers of all kinds that the configuration can declare have of their definition. For one thread. */
abstract class DeclaredHandler implements Handler {
    final HandlerDefinition definition;

    DeclaredHandler(HandlerDefinition definition) {
        this.definition = definition;
    }

    @Override
    public final String name() {
        return definition.name();
    }

    @Override
    public final List<Point> points() {
        return definition.points();
    }
}
