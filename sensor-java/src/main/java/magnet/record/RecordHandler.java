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
     * Called where bytes of a CPU are no record, before the record that follows them, if there is one yet: of the events in
     * them nothing is known.
     *
     * @param cpu whose they are
     */
    default void onGap(int cpu) {
        // Who counts what there is need not know of it.
    }

    /**
     * Called before the first record of a new epoch of the timer, which jumped or began anew: the records that follow can't
     * be compared with those before, and what was begun has no end, on whichever CPU. Nothing was lost. The clock model is
     * that of the old epoch until a CLOCK record is handed on, which is the first record of the new one. Where records are
     * read as they come this is also called, before, where the timer has jumped ahead and the module has not seen it yet.
     *
     * @param cpus no CPU that there are records of has this number or a higher one
     */
    default void onNewEpoch(int cpus) {
        // Who compares no timers need not know of it.
    }

    /** Hands everything to this handler, then to another one. */
    default RecordHandler andThen(RecordHandler next) {
        return new BothHandlers(this, next);
    }

    /**
     * Called for many records, one after the other in time. Their bytes stay until this method returns.
     *
     * @param records not to be kept
     */
    default void onRecords(RecordBatch records) {
        for (int i = 0; i < records.size(); i++) {
            onRecord(records.at(records.place(i)));
        }
    }
}
