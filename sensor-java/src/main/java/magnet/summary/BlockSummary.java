// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.BLOCK_RQ_COMPLETE;
import static magnet.record.EventType.BLOCK_RQ_ISSUE;

import java.util.EnumSet;
import java.util.Set;
import magnet.metric.BlockMetrics;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * Requests to block devices. For one thread.
 *
 * <p>A request's time runs from its issue to the completion of the last of its bytes, or to an error. One that is issued
 * again, because the device could not take it, begins anew. Those that were under way when this began, or when events
 * were lost, count as done but have no time.
 *
 * <p>A read or write that comes back with no bytes and was not issued is none: where a device has a cache, the kernel makes
 * flushes of a write's wish to have it written out, and ends the write once more when all of that is over.
 */
final class BlockSummary extends BuiltInHandler {
    private static final int READ = 0;
    private static final int WRITE = 1;
    private static final int CAPACITY = 8_192;
    private static final int ISSUED = 1;

    private final Quality quality;
    private final TimerScale scale;
    private final OpenIntervals open = new OpenIntervals(CAPACITY);
    private final WindowedCount reads;
    private final WindowedCount writes;
    private final WindowedCount others;
    private final WindowedCount errors;
    private final WindowedCount readBytes;
    private final WindowedCount writeBytes;
    private final WindowedCount ticksInDevice;
    private final WindowedMax depth;
    private final WindowedDistribution readTimes;
    private final WindowedDistribution writeTimes;
    private final WindowedBuckets buckets;

    BlockSummary(int slots, TimerScale scale, Quality quality) {
        this.quality = quality;
        this.scale = scale;
        this.reads = new WindowedCount(slots);
        this.writes = new WindowedCount(slots);
        this.others = new WindowedCount(slots);
        this.errors = new WindowedCount(slots);
        this.readBytes = new WindowedCount(slots);
        this.writeBytes = new WindowedCount(slots);
        this.ticksInDevice = new WindowedCount(slots);
        this.depth = new WindowedMax(slots);
        this.readTimes = new WindowedDistribution(slots, scale);
        this.writeTimes = new WindowedDistribution(slots, scale);
        this.buckets = new WindowedBuckets(BlockMetrics.BUCKETS, slots, scale);
    }

    @Override
    Set<EventType> events() {
        return EnumSet.of(BLOCK_RQ_ISSUE, BLOCK_RQ_COMPLETE);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        long bytes = record.payloadU32(Payload.BLOCK_BYTES_OFFSET);
        if (type == BLOCK_RQ_ISSUE) {
            int place = open.open(record.abstractId(), 0, record.timer(), ISSUED);
            open.note(place, bytes);
            depth.record(open.size());
            return;
        }
        int operation = (int) record.payloadU32(Payload.BLOCK_OP_OFFSET);
        boolean failed = record.payloadU32(Payload.BLOCK_ERROR_OFFSET) != 0;
        if (!failed) {
            countBytes(operation, bytes);
        }
        int place = open.find(record.abstractId(), 0);
        if (place == OpenIntervals.NONE) {
            if (bytes > 0 || isOther(operation)) {
                count(operation, failed);
            }
            return;
        }
        long left = open.note(place) - bytes;
        if (left > 0 && !failed) {
            open.note(place, left);
            return;
        }
        count(operation, failed);
        measure(operation, quality.length(record.timer() - open.begin(place)));
        open.close(place);
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    private static boolean isOther(int operation) {
        return operation != READ && operation != WRITE;
    }

    private void countBytes(int operation, long bytes) {
        if (operation == READ) {
            readBytes.add(bytes);
        } else if (operation == WRITE) {
            writeBytes.add(bytes);
        }
    }

    private void count(int operation, boolean failed) {
        WindowedCount kind = operation == READ ? reads : operation == WRITE ? writes : others;
        kind.increment();
        if (failed) {
            errors.increment();
        }
    }

    private void measure(int operation, long ticks) {
        if (operation == READ) {
            readTimes.record(ticks);
        } else if (operation == WRITE) {
            writeTimes.record(ticks);
        }
        ticksInDevice.add(ticks);
        buckets.record(ticks);
    }

    @Override
    void onLost(int cpu) {
        quality.dropByLoss(open.closeAll());
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        quality.evict(open.takeEvicted());
        snapshot.putRate(BlockMetrics.READS, reads.sum());
        snapshot.putRate(BlockMetrics.WRITES, writes.sum());
        snapshot.putRate(BlockMetrics.OTHERS, others.sum());
        snapshot.putRate(BlockMetrics.ERRORS, errors.sum());
        snapshot.putRate(BlockMetrics.READ_BYTES, readBytes.sum());
        snapshot.putRate(BlockMetrics.WRITE_BYTES, writeBytes.sum());
        readTimes.put(BlockMetrics.READ_TIME, snapshot);
        writeTimes.put(BlockMetrics.WRITE_TIME, snapshot);
        readTimes.put(BlockMetrics.READ_BUCKETS, snapshot);
        writeTimes.put(BlockMetrics.WRITE_BUCKETS, snapshot);
        snapshot.put(BlockMetrics.DEPTH, scale.toSeconds(ticksInDevice.sum()) / snapshot.seconds());
        snapshot.put(BlockMetrics.DEPTH_MAX, (double) depth.max());
        buckets.put(snapshot);
    }

    @Override
    public void advance() {
        reads.advance();
        writes.advance();
        others.advance();
        errors.advance();
        readBytes.advance();
        writeBytes.advance();
        ticksInDevice.advance();
        depth.advance();
        depth.record(open.size());
        readTimes.advance();
        writeTimes.advance();
        buckets.advance();
    }
}
