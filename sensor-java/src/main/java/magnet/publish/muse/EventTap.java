// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.io.IOException;
import java.util.Map;
import magnet.record.EventType;
import magnet.record.RecordHandler;

/** Where a server's events come from: points of the kernel, hooked while they are selected. For one thread. */
public interface EventTap extends AutoCloseable {
    /** How the server gets at events when the first handler is started. */
    @FunctionalInterface
    interface Opener {
        /**
         * Makes one without any event yet.
         *
         * @param handler who gets the records, within {@link #read} and {@link #readAll}
         * @throws IOException if the kernel does not grant it; says why
         */
        EventTap open(RecordHandler handler) throws IOException;
    }

    /**
     * Has these events from now on, and no others.
     *
     * @param rules for each event the rules that act in the kernel; all of its events if they are empty
     * @throws IOException if this kernel does not have one of them; then it has those that it had before, or more
     */
    void select(Map<EventType, String> rules) throws IOException;

    /** Hands on what is there but for the newest, which may not be in order yet. */
    void read() throws IOException;

    /** The timer of the records that were handed on: it goes over to a new epoch of the timer where they do. */
    TickClock clock();

    /** Hands on everything that was logged before the call. */
    void readAll() throws IOException;

    @Override
    void close();
}
