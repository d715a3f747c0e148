// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Set;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;

/**
 * Turns the events of one kind into metrics over the trailing window. It exists while one of its metrics is published.
 *
 * <p>For one thread. {@link #onRecord} allocates nothing. A class, not an interface: one of many is called for each event,
 * and a method of an interface takes a search.
 */
abstract class BuiltInHandler implements Windowed {
    /** The events that it wants to see. */
    abstract Set<EventType> events();

    /** One of these happened. */
    abstract void onRecord(EventType type, RecordFlyweight record);

    /** Many of these happened: implemented as {@code records.handTo(this)}, see {@link PutOffRecords#handTo}. */
    abstract void onRecords(PutOffRecords records);

    /** Events of this CPU were lost: what may span the loss must not be measured. */
    void onLost(int cpu) {
        // Counts are too low, which the sensor's own metrics say.
    }

    /**
     * The same, for who wants to know when.
     *
     * @param first timer of the first of them
     * @param told timer of what told it: none of them is younger
     */
    void onLost(int cpu, long first, long told) {
        onLost(cpu);
    }

    /** The timer jumped or began anew: what was noted of it is no more. {@link #onLost} was called for each CPU. */
    void onNewEpoch() {
        // Who keeps no timers but in open intervals has none now.
    }

    /**
     * Records up to this timer have come, and the window is about to be put into a snapshot.
     *
     * @param began the newest timer where the last slot ended; 0 in the first one, and in the first one of a new epoch
     * @param newestTimer of all records of this epoch
     */
    void endSlot(long began, long newestTimer) {
        // What is counted at its end needs no cut.
    }

    /** Whether, since the last call, it has lost whose each process is. */
    boolean takeOwnersLost() {
        return false;
    }

    /** How often since it was made there was no room to know whose a process is. */
    long ownersWithoutRoom() {
        return 0;
    }

    /** Puts in what the window holds; what is not published may be put in, too. */
    abstract void put(MetricSnapshot.Builder snapshot);
}
