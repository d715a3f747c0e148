// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import magnet.os.MonotonicClock;
import magnet.publish.muse.TickClock;
import magnet.record.ClockModel;

/** The timer of records by the clock model of whoever reads them. For any thread. */
record RecordClock(ClockModel clockModel, long ticksPerMilli, MonotonicClock monotonic) implements TickClock {
    private static final long MILLIS_PER_SECOND = 1_000;
    private static final double NANOS_PER_SECOND = 1e9;

    @Override
    public long now() {
        return clockModel.timerAtMonotonic(monotonic.nanos());
    }

    @Override
    public long ticksPerSecond() {
        return ticksPerMilli * MILLIS_PER_SECOND;
    }

    @Override
    public double realtimeSeconds(long timer) {
        return clockModel.realtimeNs(timer) / NANOS_PER_SECOND;
    }
}
