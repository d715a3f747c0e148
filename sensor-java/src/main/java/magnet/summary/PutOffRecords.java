// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.record.RecordFlyweight;

/**
 * The records of a batch that one handler has still to see, in their order: places of records, {@value #CAPACITY} at most.
 * A processor guesses well where a call goes that goes where the last one went, and badly which of many handlers is next;
 * so each handler gets many records at a time. For one thread; allocates only when it is made.
 */
final class PutOffRecords {
    private static final int CAPACITY = 256;

    private final Handler handler;
    private final Batch batch;
    private final long[] places = new long[CAPACITY];
    private int count;

    PutOffRecords(Handler handler, Batch batch) {
        this.handler = handler;
        this.batch = batch;
    }

    Handler handler() {
        return handler;
    }

    /** @param place one that {@link Batch#place} gave */
    void add(long place) {
        places[count++] = place;
        if (count == CAPACITY) {
            catchUp();
        }
    }

    /** Lets the handler see what it has not seen yet. */
    void catchUp() {
        if (count > 0) {
            handler.onRecords(this);
        }
    }

    /**
     * Hands all over to the handler, which calls it with itself: so each class of handlers has a loop of its own once it
     * is compiled, with no call left in it.
     */
    void handTo(Handler itself) {
        int end = count;
        count = 0;
        for (int i = 0; i < end; i++) {
            RecordFlyweight record = batch.at(places[i]);
            itself.onRecord(batch.type(record), record);
        }
    }
}
