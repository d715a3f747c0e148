// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

/** The timer of records, which goes on without records, too. For any thread. */
public interface TickClock {
    /** The timer now, in ticks. */
    long now();

    /** Ticks in a second. */
    long ticksPerSecond();

    /** Seconds since 1970 at a timer. */
    double realtimeSeconds(long timer);
}
