// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.metric.JobColumn;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * Reads and writes of block devices that jobs issue themselves. What the kernel writes back later is issued by its own threads.
 * A request that is issued again, because the device could not take it, counts once. For one thread; allocates only when it is
 * made.
 */
final class JobDisks {
    private static final int CAPACITY = 8_192;
    private static final int ISSUED = 1;
    private static final int WRITE = 1;

    private final JobRows rows;
    /** By request: bytes that are not done. */
    private final OpenIntervals open = new OpenIntervals(CAPACITY);

    JobDisks(JobRows rows) {
        this.rows = rows;
    }

    /** A process of a row hands a request to a device. */
    void issue(RecordFlyweight record, int row) {
        boolean again = open.find(record.abstractId(), 0) != OpenIntervals.NONE;
        long bytes = record.payloadU32(Payload.BLOCK_BYTES_OFFSET);
        int place = open.open(record.abstractId(), 0, record.timer(), ISSUED);
        open.note(place, bytes);
        if (!again && record.payloadU32(Payload.BLOCK_OP_OFFSET) <= WRITE) {
            rows.add(row, JobColumn.DISK_REQUESTS, 1);
            rows.add(row, JobColumn.DISK_BYTES, bytes);
        }
    }

    /** A device has done a request, or a part. */
    void complete(RecordFlyweight record) {
        int place = open.find(record.abstractId(), 0);
        if (place == OpenIntervals.NONE) {
            return;
        }
        long left = open.note(place) - record.payloadU32(Payload.BLOCK_BYTES_OFFSET);
        if (left > 0 && record.payloadU32(Payload.BLOCK_ERROR_OFFSET) == 0) {
            open.note(place, left);
        } else {
            open.close(place);
        }
    }

    /** How many requests were forgotten for want of room, since the last call. */
    long takeEvicted() {
        return open.takeEvicted();
    }

    void forgetAll() {
        open.closeAll();
    }
}
