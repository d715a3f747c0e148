// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import magnet.os.DataFile;
import magnet.os.NativeBuffer;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordBatch;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.record.Validity;
import org.jspecify.annotations.Nullable;

/**
 * One CPU's file with the records that were read from it and not yet handed on. Belongs to the collector's thread,
 * but for {@link #counts()}.
 *
 * <pre>
 *   0        head          looked           tail        capacity
 *   +---------+---------------+---------------+-------------+
 *   | handed  | still to hand, and looked at  |    room     |
 *   |         | or not yet    |               |             |
 *   +---------+---------------+---------------+-------------+
 * </pre>
 */
final class CpuStream implements AutoCloseable {
    /** Records that are looked at in one go: what is asked of each does not wait for what becomes of the one before it. */
    private static final int AHEAD = 128;

    /** The head of none: no record has so many bytes. */
    private static final long NO_RECORD = -1;

    private static final int CLOCK = EventType.CLOCK.id();
    private static final long NO_TIMER = Long.MIN_VALUE;

    private final int cpu;
    private final RecordLayout layout;
    private final DataFile file;
    private final FileAttributes attributes;
    private final @Nullable RawCopy copy;
    /** Whether the file says how far it is complete; pipes do not. */
    private final boolean tells;
    /** A timer may go back by so many ticks; by more, it began anew. */
    private final long backMost;

    private final NativeBuffer buffer;
    private final RecordFlyweight record;
    private final AtomicLong publishedRecords = new AtomicLong();
    private final AtomicLong publishedBytes = new AtomicLong();
    private final AtomicLong publishedLost = new AtomicLong();
    /** Of the next records, as far as they were looked at: the oldest one first. */
    private final long[] places = new long[AHEAD];

    private final long[] timers = new long[AHEAD];
    private int next;
    private int known;
    /** Whether all that is known are events, none after a gap, and none older than the one before it. */
    private boolean plain;

    private int looked;
    private int tail;
    /** Whether what was looked at last is no record. */
    private boolean gap;

    /** Of what was looked at. */
    private int epoch;
    /** Of the record that was looked at last, which begins it; the same one if the module has not told of it yet. */
    private int nextEpoch;
    /** The youngest timer that was looked at, of this epoch. */
    private long newest = NO_TIMER;
    /** Whether it went back in this epoch: once is believed, what goes to and fro is no timer. */
    private boolean wentBack;
    /** Whether there is one, and it waits for the other CPUs' older records. */
    private boolean border;

    private long completeTo = Long.MIN_VALUE;
    /** Whether the last read that got anything left something there. */
    private boolean more;

    private boolean ended;
    private boolean drained;
    private int pollIndex;
    private long records;
    private long bytes;
    private long drainEnd = Long.MAX_VALUE;
    private long lost;
    private long malformed;
    private long corruptBytes;

    CpuStream(
            int cpu,
            DataFile file,
            RecordLayout layout,
            CollectorSettings settings,
            FileAttributes attributes,
            @Nullable RawCopy copy,
            int epoch,
            long backMost) {
        this.cpu = cpu;
        this.tells = settings.usesAttributes();
        this.epoch = epoch;
        this.backMost = backMost;
        this.layout = layout;
        this.file = file;
        this.attributes = attributes;
        this.copy = copy;
        this.buffer = NativeBuffer.allocate(settings.batchBytes());
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
        return next < known;
    }

    /** Begins to drain: what is in the kernel's buffer now has at most so many bytes. */
    void beginDrain(long most) {
        long atMost = most > Long.MAX_VALUE - bytes ? Long.MAX_VALUE : bytes + most;
        drainEnd = ended ? bytes : atMost;
    }

    /** Whether all that was in the kernel's buffer when draining began has been read. */
    boolean isDrained() {
        return bytes >= drainEnd;
    }

    /** Whether all of that is handed on, too. */
    boolean isDrainHanded() {
        return bytes - (tail - head()) >= drainEnd;
    }

    /** Whether the last {@link #fill} left nothing in the kernel's buffer. */
    boolean isEmptied() {
        return ended || drained;
    }

    /** The oldest record that is still to be handed on. */
    RecordFlyweight record() {
        return record.moveTo(head());
    }

    /** Its timer. */
    long headTimer() {
        return timers[next];
    }

    /** Whether the record behind it is known, too; if not there is none yet. */
    boolean hasFollowing() {
        return next + 1 < known;
    }

    /** That one's timer. */
    long followingTimer() {
        return timers[next + 1];
    }

    /**
     * Whether none of what is known has been handed on yet, and all of it is a run: events, none after a gap, none older than
     * the one before it. Where no other CPU's come between them they need not be handed on one by one.
     */
    boolean beginsRun() {
        return next == 0 && plain;
    }

    /** How many records a run has. */
    int runLength() {
        return known;
    }

    /** The timer of a run's last record. */
    long runEndTimer() {
        return timers[known - 1];
    }

    /** Adds a run to a batch, which must have room for it, and goes on to the record behind it; gives how many it had. */
    int takeRun(RecordBatch batch) {
        int count = known;
        batch.add(places, 0, count);
        records += count;
        next = count;
        lookAhead();
        return count;
    }

    /** Its place in a {@link RecordBatch}. */
    long headPlace() {
        return RecordBatch.withoutGap(places[next]);
    }

    /** Whether bytes before it were no record. */
    boolean isAfterGap() {
        return RecordBatch.isAfterGap(places[next]);
    }

    /** What the records lie in. */
    ByteBuffer bytes() {
        return buffer.bytes();
    }

    /** No record older than this timer will come any more. */
    long completeTo() {
        if (ended || border) {
            return Long.MAX_VALUE;
        }
        return tells || !more || !hasRecord() ? completeTo : Math.max(completeTo, runEndTimer());
    }

    /** Whether all records of its epoch are handed on, and one of a new epoch is next. */
    boolean isAtBorder() {
        return border && !hasRecord();
    }

    /** Which epoch that is, or will be when older records are handed on. */
    int nextEpoch() {
        return nextEpoch;
    }

    /** Goes on in this epoch. What it had of older ones is handed on. */
    void enter(int newEpoch) {
        wentBack = newEpoch == epoch && (wentBack || border);
        epoch = newEpoch;
        border = false;
        newest = NO_TIMER;
        completeTo = Long.MIN_VALUE;
        lookAhead();
    }

    /** Whether a record may come that there is no room for. */
    boolean isFull() {
        return buffer.size() - (tail - head()) < RecordFlyweight.SIZE_MAX;
    }

    /** Whether at least half of the memory is free. */
    boolean isHalfFree() {
        return tail - head() <= buffer.size() / 2;
    }

    /** Whether the last bytes were no record, and nothing follows them; says so once. */
    boolean takeLastGap() {
        boolean last = gap && !hasRecord();
        gap &= !last;
        return last;
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
        attributes.set(file, Attribute.FLUSH, 0);
    }

    /**
     * Reads once, as much as there is room for.
     *
     * @param completeIfDrained the timer up to which all is known if the kernel's buffer turns out to be empty; for files
     *     that do not say it themselves
     * @param blockMeansEmpty whether a read that would block says that nothing is there, and not just too little
     * @param sink gets what was read; null = nobody
     * @return bytes read
     */
    int fill(long completeIfDrained, boolean blockMeansEmpty, @Nullable BatchSink sink) throws IOException {
        int count = read(completeIfDrained, blockMeansEmpty, sink);
        if (isEmptied()) {
            drainEnd = Math.min(drainEnd, bytes);
        }
        return count;
    }

    private int read(long completeIfDrained, boolean blockMeansEmpty, @Nullable BatchSink sink) throws IOException {
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
                more = false;
                learn(completeIfDrained);
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
        tail += count;
        bytes += count;
        if (!hasFollowing()) {
            lookAhead();
        }
        drained = room - count >= RecordFlyweight.SIZE_MAX;
        more = !drained;
        learn(completeIfDrained);
        return count;
    }

    /** Up to which timer all has been read. */
    private void learn(long completeIfDrained) throws IOException {
        if (tells) {
            long said = attributes.get(file, Attribute.COMPLETE_TO);
            completeTo = said == 0 ? completeTo : Math.max(completeTo, said);
        } else if (drained) {
            completeTo = Math.max(completeTo, completeIfDrained);
        }
    }

    /** Goes on to the next record. */
    void advance() {
        records++;
        next++;
        if (!hasFollowing()) {
            lookAhead();
        }
    }

    /** Adds up what the record at the head, a LOST record, says. */
    long noteLost() {
        long count = record().payloadU64(Payload.LOST_COUNT_OFFSET);
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

    private int head() {
        return hasRecord() ? RecordBatch.offset(places[next]) : looked;
    }

    private void compact() {
        int handed = head();
        if (handed == 0) {
            return;
        }
        ByteBuffer all = buffer.bytes();
        all.put(0, all, handed, tail - handed);
        for (int i = next; i < known; i++) {
            places[i] -= handed;
        }
        looked -= handed;
        tail -= handed;
    }

    /** Looks at what is behind the last record that is known, if any. */
    private void lookAhead() {
        int count = 0;
        long before = Long.MIN_VALUE;
        boolean run = true;
        for (; next < known; next++) {
            places[count] = places[next];
            before = timers[next];
            timers[count++] = before;
            run &= !RecordBatch.isAfterGap(places[count - 1]) && isEvent(places[count - 1]);
        }
        int at = looked;
        int end = tail;
        while (at < end && count < AHEAD && !border) {
            long head = goodHead(at);
            if (head == NO_RECORD) {
                at += passMalformed(at);
                continue;
            }
            if (beginsEpoch(head) || goesBack(record.timer())) {
                break;
            }
            long place = RecordBatch.place(head, at);
            if (gap) {
                place = RecordBatch.afterGap(place);
                run = false;
                gap = false;
            }
            long timer = record.timer();
            newest = Math.max(newest, timer);
            run &= timer >= before && isEvent(head);
            places[count] = place;
            timers[count++] = timer;
            before = timer;
            at += (int) head;
        }
        looked = at;
        next = 0;
        known = count;
        plain = run;
    }

    /** Whether a record is nothing that the collector wants to know of itself: CLOCK or, the id behind it, LOST. */
    private static boolean isEvent(long place) {
        return ((RecordBatch.event(place) - CLOCK) & ~1) != 0;
    }

    /** Whether the record that was looked at is the first one of a new epoch of the timer. */
    private boolean beginsEpoch(long head) {
        if (RecordBatch.event(head) != CLOCK) {
            return false;
        }
        nextEpoch = (int) record.payloadU32(Payload.CLOCK_EPOCH_OFFSET);
        border = nextEpoch - epoch > 0;
        return border;
    }

    /** A CPU writes its records in the order of time: its timer began anew, and the module has not seen it yet. */
    private boolean goesBack(long timer) {
        if (wentBack || newest == NO_TIMER || newest - timer <= backMost) {
            return false;
        }
        nextEpoch = epoch;
        border = true;
        return true;
    }

    /** The head of the record that stands there, which {@link #record} is moved to; {@link #NO_RECORD} if none of this CPU does. */
    private long goodHead(int at) {
        int available = tail - at;
        record.moveTo(at);
        if (available < layout.headerSize()) {
            return NO_RECORD;
        }
        long head = record.head();
        boolean good = RecordBatch.cpu(head) == cpu && record.validity(head, available) == Validity.VALID;
        return good ? head : NO_RECORD;
    }

    /** Counts what no module writes; gives its size: a record's if that can be believed, else that of all that was read. */
    private int passMalformed(int at) {
        int left = tail - at;
        int size = left < layout.headerSize() ? 0 : record.size();
        boolean believable = size >= layout.headerSize() && size <= left && size % RecordFlyweight.ALIGNMENT == 0;
        int passed = believable ? size : left;
        gap = true;
        malformed++;
        corruptBytes += passed;
        return passed;
    }
}
