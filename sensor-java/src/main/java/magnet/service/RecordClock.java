// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import magnet.measure.KernelFacts;
import magnet.os.MonotonicClock;
import magnet.publish.muse.TickClock;

/** The timer of records by the module's clock model. For any thread. */
record RecordClock(KernelFacts facts, MonotonicClock monotonic) implements TickClock {
    private static final long MILLIS_PER_SECOND = 1_000;
    private static final double NANOS_PER_SECOND = 1e9;

    @Override
    public long now() {
        return facts.clockModel().timerAtMonotonic(monotonic.nanos());
    }

    @Override
    public long ticksPerSecond() {
        return facts.ticksPerMilli() * MILLIS_PER_SECOND;
    }

    @Override
    public double realtimeSeconds(long timer) {
        return facts.clockModel().realtimeNs(timer) / NANOS_PER_SECOND;
    }
}
