// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Set;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;

/**
 * Turns the events of one kind into metrics over the trailing window. It exists while one of its metrics is published.
 *
 * <p>For one thread. {@link #onRecord} allocates nothing.
 */
interface Handler extends Windowed {
    /** The events that it wants to see. */
    Set<EventType> events();

    /** One of these happened. */
    void onRecord(EventType type, RecordFlyweight record);

    /** Events of this CPU were lost: what may span the loss must not be measured. */
    default void onLost(int cpu) {
        // Counts are too low, which the sensor's own metrics say.
    }

    /** Records up to this timer have come, and the window is about to be put into a snapshot. */
    default void endSlot(long newestTimer) {
        // What is counted at its end needs no cut.
    }

    /** Puts in what the window holds; what is not published may be put in, too. */
    void put(MetricSnapshot.Builder snapshot);
}
