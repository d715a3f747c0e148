// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import magnet.os.DataFile;
import magnet.os.NativeBuffer;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.record.Validity;
import org.jspecify.annotations.Nullable;

/**
 * One CPU's file with the records that were read from it and not yet handed on. Belongs to the collector's thread,
 * but for {@link #counts()}.
 *
 * <pre>
 *   0        head            tail        capacity
 *   +---------+---------------+-------------+
 *   | handed  | still to hand |    room     |
 *   +---------+---------------+-------------+
 * </pre>
 */
final class CpuStream implements AutoCloseable {
    private final int cpu;
    private final RecordLayout layout;
    private final DataFile file;
    private final @Nullable RawCopy copy;
    private final NativeBuffer buffer;
    private final RecordFlyweight record;
    private final AtomicLong publishedRecords = new AtomicLong();
    private final AtomicLong publishedBytes = new AtomicLong();
    private final AtomicLong publishedLost = new AtomicLong();
    private int head;
    private int tail;
    private int headSize;
    private long headTimer;
    private long completeTo = Long.MIN_VALUE;
    private boolean ended;
    private boolean drained;
    private int pollIndex;
    private long records;
    private long bytes;
    private long drainEnd = Long.MAX_VALUE;
    private long lost;
    private long malformed;
    private long corruptBytes;

    CpuStream(int cpu, DataFile file, RecordLayout layout, int batchBytes, @Nullable RawCopy copy) {
        this.cpu = cpu;
        this.layout = layout;
        this.file = file;
        this.copy = copy;
        this.buffer = NativeBuffer.allocate(batchBytes);
        this.record = new RecordFlyweight(layout).wrap(buffer.bytes(), 0);
    }

    int cpu() {
        return cpu;
    }

    DataFile file() {
        return file;
    }

    int pollIndex() {
        return pollIndex;
    }

    void pollIndex(int index) {
        pollIndex = index;
    }

    /** Whether the file's end was reached: its buffer was removed. */
    boolean ended() {
        return ended;
    }

    /** Whether there is a record to hand on. */
    boolean hasRecord() {
        return head < tail;
    }

    /** Begins to drain: what is in the kernel's buffer now has at most so many bytes. */
    void beginDrain(long most) {
        drainEnd = most > Long.MAX_VALUE - bytes ? Long.MAX_VALUE : bytes + most;
    }

    /** Whether the last {@link #fill} left nothing in the kernel's buffer, or only what came since draining began. */
    boolean isDrained() {
        return ended || drained || bytes >= drainEnd;
    }

    /** The oldest record that is still to be handed on. */
    RecordFlyweight record() {
        return record;
    }

    /** Its timer. */
    long headTimer() {
        return headTimer;
    }

    /** No record older than this timer will come any more. */
    long completeTo() {
        return ended ? Long.MAX_VALUE : completeTo;
    }

    /** Whether a record may come that there is no room for. */
    boolean isFull() {
        return buffer.size() - (tail - head) < RecordFlyweight.SIZE_MAX;
    }

    /** Whether at least half of the memory is free. */
    boolean isHalfFree() {
        return tail - head <= buffer.size() / 2;
    }

    /** Records that no module writes. */
    long malformed() {
        return malformed;
    }

    /** Bytes that were passed over with them. */
    long corruptBytes() {
        return corruptBytes;
    }

    /** Makes readable what is in the kernel's buffer now. */
    void flush() throws IOException {
        Attribute.FLUSH.set(file, 0);
    }

    /**
     * Reads once, as much as there is room for.
     *
     * @param completeIfDrained the timer up to which all is known if the kernel's buffer turns out to be empty
     * @param blockMeansEmpty whether a read that would block says that nothing is there, and not just too little
     * @param sink gets what was read; null = nobody
     * @return bytes read
     */
    int fill(long completeIfDrained, boolean blockMeansEmpty, @Nullable BatchSink sink) throws IOException {
        drained = false;
        if (isFull()) {
            return 0;
        }
        compact();
        int room = buffer.size() - tail;
        int count = file.read(buffer, tail, room);
        if (count == DataFile.WOULD_BLOCK) {
            drained = blockMeansEmpty;
            if (drained) {
                completeTo = Math.max(completeTo, completeIfDrained);
            }
            return 0;
        }
        if (count == 0) {
            ended = true;
            return 0;
        }
        if (copy != null) {
            copy.write(buffer.bytes(), tail, count);
        }
        if (sink != null) {
            sink.onBatch(cpu, buffer.bytes(), tail, count);
        }
        boolean wasEmpty = !hasRecord();
        tail += count;
        bytes += count;
        if (wasEmpty) {
            loadHead();
        }
        drained = room - count >= RecordFlyweight.SIZE_MAX;
        completeTo = Math.max(completeTo, drained ? completeIfDrained : lastTimer());
        return count;
    }

    /** Goes on to the next record; returns whether there is one. */
    boolean advance() {
        records++;
        head += headSize;
        return loadHead();
    }

    /** Adds up what the record at the head, a LOST record, says. */
    long noteLost() {
        long count = record.payloadU64(Payload.LOST_COUNT_OFFSET);
        lost += count;
        return count;
    }

    /** Lets other threads see the counts. */
    void publish() {
        publishedRecords.lazySet(records);
        publishedBytes.lazySet(bytes);
        publishedLost.lazySet(lost);
    }

    /** The counts as of the last {@link #publish()}; for any thread. */
    CpuCounts counts() {
        return new CpuCounts(cpu, publishedRecords.get(), publishedBytes.get(), publishedLost.get());
    }

    @Override
    public void close() throws IOException {
        file.close();
        if (copy != null) {
            copy.close();
        }
    }

    private void compact() {
        if (head == 0) {
            return;
        }
        ByteBuffer all = buffer.bytes();
        int left = tail - head;
        all.put(0, all, head, left);
        head = 0;
        tail = left;
        record.moveTo(0);
    }

    private boolean loadHead() {
        while (head < tail) {
            if (isGood(head)) {
                headSize = record.size();
                headTimer = record.timer();
                return true;
            }
            passMalformed();
        }
        return false;
    }

    /** Whether a whole record of this CPU stands there. */
    private boolean isGood(int at) {
        return record.moveTo(at).validity(tail) == Validity.VALID && record.cpu() == cpu;
    }

    /** Passes over what no module writes: a record if its size can be believed, else all that was read. */
    private void passMalformed() {
        int left = tail - head;
        int size = left < layout.headerSize() ? 0 : record.size();
        boolean believable = size >= layout.headerSize() && size <= left && size % RecordFlyweight.ALIGNMENT == 0;
        int passed = believable ? size : left;
        malformed++;
        corruptBytes += passed;
        head += passed;
    }

    private long lastTimer() {
        long timer = Long.MIN_VALUE;
        for (int at = head; at < tail; at += record.size()) {
            if (!isGood(at)) {
                break;
            }
            timer = record.timer();
        }
        record.moveTo(head);
        return timer;
    }
}
