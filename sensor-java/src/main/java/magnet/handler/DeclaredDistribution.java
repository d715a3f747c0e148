// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import magnet.spi.Distribution;
import magnet.spi.Event;
import magnet.spi.Field;
import magnet.spi.HandlerSetup;
import magnet.summary.TimerJump;
import org.jspecify.annotations.Nullable;

/**
 * How a field of the events is distributed; a function's latency in microseconds, but for those with a jump of the timer in
 * them. For one thread.
 */
final class DeclaredDistribution extends DeclaredHandler {
    /** What is negative is left out, and counted. */
    private static final long LEFT_OUT = -1;

    private @Nullable Field field;
    private @Nullable Distribution distribution;
    private final TimerJump jump = new TimerJump();

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
            long number = event.number(field);
            boolean spans = definition.isLatency() && jump.isSpanned(event.timer(), number);
            distribution.record(spans ? LEFT_OUT : number);
        }
    }

    @Override
    public void onNewEpoch(int cpus) {
        jump.happened();
    }
}
