// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.record.EventType;
import magnet.record.RecordBatch;
import magnet.record.RecordLayout;

/**
 * The records of a batch that one handler has still to see, in their order. A processor guesses well where a call goes that
 * goes where the last one went, and badly which of many handlers is next; so each handler gets many records at a time. For
 * one thread; allocates only when it is made.
 */
final class PutOffRecords {
    private static final RecordBatch NONE = new RecordBatch(RecordLayout.WIDE);

    private final BuiltInHandler handler;
    private final EventType[] types;
    private final long[] places = new long[RecordBatch.CAPACITY];
    private RecordBatch batch = NONE;
    private int count;

    /**
     * @param handler the one that has to see them
     * @param types by id; those of all records that are put off
     */
    PutOffRecords(BuiltInHandler handler, EventType[] types) {
        this.handler = handler;
        this.types = types;
    }

    BuiltInHandler handler() {
        return handler;
    }

    /** From now on, places are those of this batch. */
    void begin(RecordBatch records) {
        batch = records;
    }

    /** Puts off a record of the batch; not more of them than a batch can have, before they are caught up with. */
    void add(long place) {
        places[count++] = place;
    }

    /** Lets the handler see what it has not seen yet. */
    void catchUp() {
        if (count > 0) {
            handler.onRecords(this);
        }
    }

    /** Nobody needs to see them. */
    void forget() {
        count = 0;
    }

    /**
     * Hands all over to the handler, which calls it with itself: so each class of handlers has a loop of its own once it
     * is compiled, with no call left in it.
     */
    void handTo(BuiltInHandler itself) {
        int end = count;
        count = 0;
        for (int i = 0; i < end; i++) {
            long place = places[i];
            itself.onRecord(types[RecordBatch.event(place)], batch.at(place));
        }
    }
}
