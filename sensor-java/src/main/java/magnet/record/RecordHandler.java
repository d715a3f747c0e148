// SPDX-License-Identifier: Apache-2.0
package magnet.record;

/** Takes records one after the other. */
@FunctionalInterface
public interface RecordHandler {
    /**
     * Called for each record, also for events that this version does not know. It runs in the collector's
     * thread and holds up every CPU's records: it must not block, and should not allocate.
     *
     * @param record positioned on the record; it moves on as soon as this method returns, so keep values, not it
     */
    void onRecord(RecordFlyweight record);

    /**
     * Until {@link #endBatch()} the bytes of each record that is handed over stay where they are in its buffer, so that
     * what has to be done with them may be put off until then. Who does not say so lets nothing be put off.
     */
    default void beginBatch() {
        // Most put off nothing.
    }

    /** All that was put off has to be done now: the bytes go. */
    default void endBatch() {
        // Most put off nothing.
    }
}
