// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Steps through the records of a batch, skipping over each by its own size.
 *
 * <pre>{@code
 * cursor.wrap(batch, 0, bytesRead);
 * while (cursor.next()) {
 *     handler.onRecord(cursor.record());
 * }
 * if (cursor.end() == Validity.CORRUPT) { ... }
 * }</pre>
 *
 * <p>Allocates nothing. Not thread-safe.
 */
public final class RecordCursor {
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0).order(ByteOrder.nativeOrder());

    private final RecordFlyweight record;
    private ByteBuffer batch = NOTHING;
    private int next;
    private int limit;
    private Validity end = Validity.VALID;

    /** A cursor over an empty batch. */
    public RecordCursor(RecordLayout layout) {
        record = new RecordFlyweight(layout);
    }

    /**
     * Goes before the first record of another batch.
     *
     * @param batch bytes in the machine's byte order
     * @param from index of the first record
     * @param to index after the last byte
     */
    public RecordCursor wrap(ByteBuffer batch, int from, int to) {
        if (from < 0 || from > to || to > batch.capacity()) {
            throw new IllegalArgumentException(
                    "not a range of the batch: from=" + from + " to=" + to + " capacity=" + batch.capacity());
        }
        this.batch = batch;
        next = from;
        limit = to;
        end = Validity.VALID;
        return this;
    }

    /**
     * Goes to the next record.
     *
     * @return false when there is none; {@link #end()} says why
     */
    public boolean next() {
        if (next >= limit || end != Validity.VALID) {
            return false;
        }
        end = record.wrap(batch, next).validity(limit);
        if (end != Validity.VALID) {
            return false;
        }
        next += record.size();
        return true;
    }

    /** The record that the last {@link #next()} went to. */
    public RecordFlyweight record() {
        return record;
    }

    /**
     * How the batch ended, once {@link #next()} returned false: VALID when it was read to its last byte, else what
     * is wrong with the bytes at {@link #offset()}.
     */
    public Validity end() {
        return end;
    }

    /** Index after the records that were gone through. */
    public int offset() {
        return next;
    }

    /**
     * Hands all records from here on to a handler.
     *
     * @return how many there were
     */
    public int forEach(RecordHandler handler) {
        int count = 0;
        while (next()) {
            handler.onRecord(record);
            count++;
        }
        return count;
    }
}
