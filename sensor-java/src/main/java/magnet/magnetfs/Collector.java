// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import magnet.os.DataFile;
import magnet.os.EventFd;
import magnet.os.MonotonicClock;
import magnet.os.Poller;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.RecordBatch;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;
import org.jspecify.annotations.Nullable;

/**
 * Reads all CPUs' files of a buffer and hands the records on, one after the other in the order of their timers.
 *
 * <p>It is the duty cycle of one thread, which calls {@link #doWork} again and again. A cycle sleeps in poll(2)
 * until a file has enough for a batch, a time has passed or {@link #stop()} was called, reads whole batches, and
 * merges. A wake-up reads every CPU, also those that have too little for their watermark yet, so that after it all
 * records up to its beginning are known. How far each CPU's file is complete the kernel says, also where a writer was
 * interrupted between taking the time and committing; what is no younger than any CPU's is handed on. Files that do not
 * say it, pipes, are taken to be complete up to the hold-back before they were read. A record that still comes after a
 * younger one is handed on and counted as {@link CollectorCounter#LATE}.
 *
 * <p>Where the timer jumps or begins anew, as after a suspend, a CLOCK record in each CPU's file says so. Then the rest
 * of the old epoch is handed on first, {@link RecordHandler#onNewEpoch} is called, and the merge and the clock model begin
 * anew. The module may see a jump up to ten seconds late. So the method is also called before the first record that is
 * younger than the timer can be now; what follows it is handed on as it comes. Where a CPU's timer has gone back, the same is
 * done as if the module had said so, and once more when it does.
 *
 * <p>{@link RecordHandler#onRecords} gets the records in place, in the batch that the kernel wrote. Nothing is
 * allocated per record or per cycle. CLOCK records renew the clock model and LOST records are counted before they
 * are handed on.
 *
 * <p>Memory: {@link CollectorSettings#batchBytes()} for each CPU. Thread-safety: {@link #stop()} and the getters of
 * counts are for any thread, all else for one.
 */
public final class Collector implements AutoCloseable {
    /**
     * Under load files become readable one by one, thousands of times a second. Reading all the others as well costs
     * an interrupt of each one's CPU; no more often than this, in nanoseconds.
     */
    private static final long SYNC_INTERVAL_NS = 5_000_000;

    /** So long are records of a new epoch kept back for older ones of CPUs whose files do not say that it began. */
    private static final long BORDER_WAIT_NS = 1_000_000_000;

    /** What a CPU's timer may go back by, in nanoseconds: the module finds no fault with as much. */
    private static final long BACK_NS = 20_000_000;

    /** So long is a writer waited for that was interrupted before it had committed, in nanoseconds. */
    private static final long WRITER_WAIT_NS = 100_000_000;

    /** The pause before a CPU is asked again how far it is, in nanoseconds. */
    private static final long AGAIN_NS = 50_000;

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NEVER = Long.MIN_VALUE;
    private static final int LOST = EventType.LOST.id();
    private static final int CLOCK = EventType.CLOCK.id();

    private final BufferDirectory directory;
    private final RecordLayout layout;
    private final ClockModel clockModel;
    private final MonotonicClock clock;
    private final RecordHandler handler;
    private final CollectorSettings settings;
    private final FileAttributes attributes;
    private final long holdBackNs;
    private final long pendingWaitNs;
    private final long rescanNs;

    private final Poller poller = new Poller();
    private final EventFd stopFlag;
    private final MergeTree tree = new MergeTree();
    private final RecordBatch batch;
    private final List<CpuStream> live = new ArrayList<>();
    private final List<CpuStream> all = new CopyOnWriteArrayList<>();
    private final Set<Integer> known = new HashSet<>();
    private final Map<CollectorCounter, AtomicLong> counters = new EnumMap<>(CollectorCounter.class);
    private final AtomicLong newestTimer = new AtomicLong(Long.MIN_VALUE);

    private @Nullable BatchSink sink;
    private volatile boolean stopped;
    private long lastSyncNs;
    private long nextRescanNs;
    private long longestCycleNs;
    private long lookedNs = NEVER;
    private long longestAwayNs;
    private boolean syncWanted;
    private boolean pending;
    /** No record that is handed on is younger, unless the timer has jumped; as of when it was last asked for. */
    private long latestTimer = Long.MIN_VALUE;

    private boolean borderSeen;
    private long borderSinceNs;
    private int epoch;
    /** Above the number of each CPU that there was. */
    private int cpus;

    private long lastHandedTimer = Long.MIN_VALUE;

    private Collector(
            BufferDirectory directory,
            RecordLayout layout,
            ClockModel clockModel,
            RecordHandler handler,
            CollectorSettings settings,
            MonotonicClock clock,
            FileAttributes attributes)
            throws IOException {
        this.directory = directory;
        this.attributes = attributes;
        this.layout = layout;
        this.clockModel = clockModel;
        this.clock = clock;
        this.handler = handler;
        this.batch = new RecordBatch(layout);
        this.settings = settings;
        this.holdBackNs = settings.holdBack().toNanos();
        this.pendingWaitNs = Math.max(holdBackNs, settings.latest().toNanos());
        this.rescanNs = settings.rescan().toNanos();
        for (CollectorCounter counter : CollectorCounter.values()) {
            counters.put(counter, new AtomicLong());
        }
        this.epoch = clockModel.epoch();
        this.stopFlag = EventFd.create();
    }

    /**
     * Opens all data files of a buffer and becomes their reader.
     *
     * @param layout the layout that the module writes
     * @param clockModel ties its timer to CLOCK_MONOTONIC; renewed by CLOCK records
     * @throws IOException EBUSY if somebody else reads them, EACCES if this user may not
     */
    public static Collector open(
            BufferDirectory directory,
            RecordLayout layout,
            ClockModel clockModel,
            RecordHandler handler,
            CollectorSettings settings)
            throws IOException {
        return open(directory, layout, clockModel, handler, settings, MonotonicClock.SYSTEM);
    }

    /** The same by another clock, to replay what is read at another speed. */
    public static Collector open(
            BufferDirectory directory,
            RecordLayout layout,
            ClockModel clockModel,
            RecordHandler handler,
            CollectorSettings settings,
            MonotonicClock clock)
            throws IOException {
        return open(directory, layout, clockModel, handler, settings, clock, FileAttributes.BY_LSEEK);
    }

    /** The same of files whose attributes are set and asked for otherwise. */
    static Collector open(
            BufferDirectory directory,
            RecordLayout layout,
            ClockModel clockModel,
            RecordHandler handler,
            CollectorSettings settings,
            MonotonicClock clock,
            FileAttributes attributes)
            throws IOException {
        Collector collector = new Collector(directory, layout, clockModel, handler, settings, clock, attributes);
        try {
            collector.rescan(clock.nanos());
            if (collector.hasEnded()) {
                throw new NoSuchFileException("no data files in " + directory.path());
            }
        } catch (IOException e) {
            collector.close();
            throw e;
        }
        return collector;
    }

    /** Lets somebody have every batch as it is read. To be called before anything is. */
    public void copyTo(BatchSink batches) {
        sink = batches;
    }

    /**
     * One cycle: sleeps until there is something to do, and does it.
     *
     * @param longestWaitMs longest sleep in milliseconds
     * @return records handed on; 0 when the time passed, or {@link #isStopped()}, or {@link #hasEnded()}
     */
    public int doWork(int longestWaitMs) throws IOException {
        if (stopped || hasEnded()) {
            return 0;
        }
        long before = clock.nanos();
        look(before);
        int ready = poller.poll(sleepMs(before, longestWaitMs));
        if (stopped) {
            stopFlag.lower();
            return 0;
        }
        long now = clock.nanos();
        lookedNs = now;
        if (nextRescanNs - now <= 0) {
            rescan(now);
        }
        boolean pendingDue = syncWanted || (pending && now - lastSyncNs >= pendingWaitNs);
        int handed = 0;
        if (ready > 0 || pendingDue) {
            handed = round(now, pendingDue || now - lastSyncNs >= SYNC_INTERVAL_NS);
        }
        longestCycleNs = Math.max(longestCycleNs, clock.nanos() - now);
        return handed;
    }

    /**
     * Reads every CPU now, also those that have too little for a batch, and hands on what is older than the hold-back: for
     * whoever is about to say what there was. Does not sleep. Also works after {@link #stop()}: points go on logging until
     * they are ended.
     *
     * @return records handed on
     */
    public int readNow() throws IOException {
        if (hasEnded()) {
            return 0;
        }
        long now = clock.nanos();
        int handed = round(now, true);
        longestCycleNs = Math.max(longestCycleNs, clock.nanos() - now);
        return handed;
    }

    /**
     * The same after nobody has read for long: until what was logged before the call, but for the hold-back, is handed on.
     * Ends also if events come as fast as they are handed on.
     */
    public void catchUp() throws IOException {
        long until = clockModel.timerAtMonotonic(clock.nanos() - holdBackNs);
        int began = epoch;
        int handed;
        do {
            handed = readNow();
        } while ((handed > 0 || syncWanted) && lastHandedTimer < until && epoch == began);
    }

    /**
     * Reads what is there now, to the last record, and hands all on without hold-back, of all epochs. What was logged before
     * the call, by subscriptions that have ended since, is then handed on for certain. Also works after {@link #stop()}.
     *
     * @return records handed on
     * @throws IOException if a file cannot be read; where a CPU's could not be opened, all else is handed on before
     */
    public int drain() throws IOException {
        return drain(Long.MAX_VALUE);
    }

    /**
     * The same where events go on coming, so that it ends also if they come as fast as they are handed on: what was
     * logged before the call is handed on, of what comes meanwhile perhaps some. Where files say how far they are complete
     * what comes meanwhile is in order, too: the rest is for the next cycle. That may take a millisecond, so often does the
     * kernel ask a CPU how far it is.
     *
     * @param ringBytes size of the buffer, for each CPU: more than that was not there at the call
     * @return records handed on
     */
    public int drain(long ringBytes) throws IOException {
        IOException unopened = hasEnded() ? null : lookForCpus();
        for (int i = 0; i < live.size(); i++) {
            live.get(i).beginDrain(ringBytes);
        }
        // Where nothing comes any more, and where nobody says what may come, what is there is all of it.
        boolean isAll = ringBytes == Long.MAX_VALUE || !settings.usesAttributes();
        boolean drained = false;
        long drainedNs = 0;
        int handed = 0;
        while (true) {
            long now = clock.nanos();
            syncWanted = false;
            readFiles(now, true);
            int more = mergeKnown();
            if (!drained && isDrained()) {
                drained = true;
                drainedNs = now;
            }
            if (drained && (isAll || (now - drainedNs >= WRITER_WAIT_NS && !isDrainHanded()))) {
                more += merge(Long.MAX_VALUE, null);
            }
            more += crossBorder(now, true);
            more += more > 0 ? 0 : makeRoom();
            handed += more;
            if (isDrainHanded()) {
                break;
            }
            if (more == 0) {
                LockSupport.parkNanos(AGAIN_NS);
            }
        }
        finishRound();
        if (unopened != null) {
            throw unopened;
        }
        return handed;
    }

    /** One may have come online since the last look at the folder; gives why it could not be opened. */
    private @Nullable IOException lookForCpus() {
        try {
            rescan(clock.nanos());
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    /** Ends the current sleep, and lets {@link #doWork} do nothing from now on. */
    public void stop() {
        stopped = true;
        stopFlag.raise();
    }

    /** Whether {@link #stop()} was called. */
    public boolean isStopped() {
        return stopped;
    }

    /** Whether every file came to its end: the buffer was removed, and all that was in it is handed on. */
    public boolean hasEnded() {
        return live.isEmpty();
    }

    /** The longest cycle since the last call, its sleep apart, in nanoseconds. */
    public long takeLongestCycle() {
        long longest = longestCycleNs;
        longestCycleNs = 0;
        return longest;
    }

    /**
     * The longest since the last call that nobody looked at the files, in nanoseconds: from one look to the next, where a look
     * is a wait in poll(2) from its beginning to its end, or the beginning of reading. Counted from the first look on. What
     * the kernel lets a woken thread wait for a processor is part of its sleep.
     */
    public long takeLongestAway() {
        long longest = longestAwayNs;
        longestAwayNs = 0;
        return longest;
    }

    /** One of the counts since the beginning. */
    public long count(CollectorCounter counter) {
        return cell(counter).get();
    }

    /** The counts of each CPU since the beginning. */
    public List<CpuCounts> cpuCounts() {
        List<CpuCounts> counts = new ArrayList<>();
        for (CpuStream stream : all) {
            counts.add(stream.counts());
        }
        return counts;
    }

    /** Timer of the youngest record handed on; {@link Long#MIN_VALUE} before the first one. */
    public long newestTimer() {
        return newestTimer.get();
    }

    @Override
    public void close() throws IOException {
        for (CpuStream stream : all) {
            stream.close();
        }
        live.clear();
        stopFlag.close();
    }

    /** Somebody looks at the files. */
    private void look(long now) {
        if (lookedNs != NEVER) {
            longestAwayNs = Math.max(longestAwayNs, now - lookedNs);
        }
        lookedNs = now;
    }

    private int sleepMs(long now, int longestWaitMs) {
        long wait = Math.min(longestWaitMs * NANOS_PER_MILLI, nextRescanNs - now);
        if (syncWanted) {
            return 0;
        }
        if (pending) {
            wait = Math.min(wait, lastSyncNs + pendingWaitNs - now);
        }
        return (int) Math.max(0, (wait + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }

    private int round(long now, boolean sync) throws IOException {
        if (sync) {
            lastSyncNs = now;
        }
        syncWanted = false;
        readFiles(now, sync);
        int handed = mergeKnown();
        handed += crossBorder(now, sync);
        if (isFull()) {
            // What fills its memory waits for a CPU of which more is unread, or which has to say how far it is.
            syncWanted = !sync || handed > 0;
            handed += syncWanted ? 0 : makeRoom();
        }
        finishRound();
        return handed;
    }

    private boolean isFull() {
        for (int i = 0; i < live.size(); i++) {
            if (live.get(i).isFull()) {
                return true;
            }
        }
        return false;
    }

    /** Hands on, in order or not, what keeps full streams from being read. */
    private int makeRoom() {
        int handed = 0;
        for (int i = 0; i < live.size(); i++) {
            if (live.get(i).isFull()) {
                handed += merge(Long.MAX_VALUE, live.get(i));
            }
        }
        return handed;
    }

    /**
     * Goes on in a new epoch of the timer when each CPU's older records are handed on: its file has said that the epoch
     * began, or had nothing more to say after another one had.
     */
    private int crossBorder(long now, boolean sync) {
        boolean seenBefore = borderSeen;
        boolean over = true;
        borderSeen = false;
        for (int i = 0; i < live.size(); i++) {
            CpuStream stream = live.get(i);
            if (stream.isAtBorder()) {
                borderSeen = true;
            } else {
                over &= sync && !stream.hasRecord() && stream.isEmptied();
            }
        }
        if (!borderSeen) {
            return 0;
        }
        if (!seenBefore) {
            borderSinceNs = now;
            over = false;
        }
        if (!over && now - borderSinceNs < BORDER_WAIT_NS) {
            syncWanted = true;
            return 0;
        }
        int handed = merge(Long.MAX_VALUE, null);
        enter(nextEpoch());
        return handed + mergeKnown();
    }

    /** The oldest one that begins on a CPU; there is one, and all that is older is handed on. */
    private int nextEpoch() {
        boolean found = false;
        int next = epoch;
        for (int i = 0; i < live.size(); i++) {
            CpuStream stream = live.get(i);
            if (stream.isAtBorder() && (!found || stream.nextEpoch() - next < 0)) {
                next = stream.nextEpoch();
                found = true;
            }
        }
        return next;
    }

    private void enter(int next) {
        borderSeen = false;
        add(CollectorCounter.EPOCHS, next == epoch ? 0 : 1);
        epoch = next;
        lastHandedTimer = Long.MIN_VALUE;
        // Until the CLOCK record that comes first or soon nothing is known of the new epoch's time.
        latestTimer = Long.MAX_VALUE;
        for (int i = 0; i < live.size(); i++) {
            CpuStream stream = live.get(i);
            if (!stream.isAtBorder() || stream.nextEpoch() == next) {
                stream.enter(next);
            }
        }
        handler.onNewEpoch(cpus);
    }

    private boolean isDrained() {
        for (int i = 0; i < live.size(); i++) {
            if (!live.get(i).isDrained()) {
                return false;
            }
        }
        return true;
    }

    private boolean isDrainHanded() {
        for (int i = 0; i < live.size(); i++) {
            if (!live.get(i).isDrainHanded()) {
                return false;
            }
        }
        return true;
    }

    /** Reads the files that are ready, or all of them. */
    private void readFiles(long now, boolean sync) throws IOException {
        look(clock.nanos());
        long completeIfDrained = clockModel.timerAtMonotonic(now - holdBackNs);
        boolean flush = sync && settings.usesAttributes();
        int total = 0;
        int reads = 0;
        for (int i = 0; i < live.size(); i++) {
            CpuStream stream = live.get(i);
            if (stream.ended() || (!sync && !poller.isReady(stream.pollIndex()))) {
                continue;
            }
            if (flush) {
                stream.flush();
            }
            int count = stream.fill(completeIfDrained, sync, sink);
            total += count;
            reads += count > 0 ? 1 : 0;
            if (stream.ended()) {
                poller.remove(stream.pollIndex());
            }
        }
        add(CollectorCounter.BYTES, total);
        add(CollectorCounter.READS, reads);
    }

    /** Up to which timer no record is missing. */
    private long horizon() {
        long horizon = Long.MAX_VALUE;
        for (int i = 0; i < live.size(); i++) {
            horizon = Math.min(horizon, live.get(i).completeTo());
        }
        return horizon;
    }

    /** Hands on what no older record can come before. Of a file that does not say how far it is, each look tells more. */
    private int mergeKnown() {
        int handed = 0;
        int more;
        do {
            more = merge(horizon(), null);
            handed += more;
        } while (more > 0 && !settings.usesAttributes());
        return handed;
    }

    /**
     * Hands on records in the order of their timers.
     *
     * @param horizon the timer of the last one
     * @param full go on only until this stream has room again
     */
    private int merge(long horizon, @Nullable CpuStream full) {
        int handed = mergeTo(Math.min(horizon, latestTimer), full);
        while (isBetween(latestTimer, horizon) && (full == null || !full.isHalfFree())) {
            latestTimer = clockModel.latestTimer(clock.nanos());
            if (isBetween(latestTimer, horizon)) {
                latestTimer = Long.MAX_VALUE;
                handler.onNewEpoch(cpus);
            }
            handed += mergeTo(Math.min(horizon, latestTimer), full);
        }
        return handed;
    }

    /** Whether the next record is younger than one timer, and no younger than another. */
    private boolean isBetween(long after, long until) {
        if (after >= until || tree.isEmpty()) {
            return false;
        }
        long timer = tree.first().headTimer();
        return timer > after && timer <= until;
    }

    private int mergeTo(long horizon, @Nullable CpuStream full) {
        tree.begin(live);
        batch.clear();
        int handed = 0;
        int late = 0;
        long newest = lastHandedTimer;
        while (!tree.isEmpty()) {
            CpuStream stream = tree.first();
            long timer = stream.headTimer();
            if (timer > horizon || (full != null && full.isHalfFree())) {
                break;
            }
            if (stream.beginsRun() && full == null && timer >= newest && isNext(stream, horizon)) {
                if (batch.room() < stream.runLength()) {
                    hand(newest);
                }
                newest = stream.runEndTimer();
                handed += stream.takeRun(batch);
                if (batch.isFull()) {
                    hand(newest);
                }
                tree.replaceFirstAfterRun();
                continue;
            }
            long place = stream.headPlace();
            int event = RecordBatch.event(place);
            late += timer < newest && event != CLOCK ? 1 : 0;
            newest = Math.max(newest, timer);
            if (stream.isAfterGap()) {
                hand(newest);
                handler.onGap(stream.cpu());
            }
            if (event == LOST || event == CLOCK) {
                hand(newest);
                note(event, stream);
            }
            batch.add(place);
            handed++;
            if (batch.isFull()) {
                hand(newest);
            }
            stream.advance();
            tree.replaceFirst();
        }
        hand(newest);
        lastHandedTimer = newest;
        add(CollectorCounter.RECORDS, handed);
        add(CollectorCounter.LATE, late);
        return handed;
    }

    /** Whether a whole run can be handed on before anything else. */
    private boolean isNext(CpuStream stream, long horizon) {
        return stream.runEndTimer() <= horizon && tree.precedesOthers(stream.runEndTimer());
    }

    private void hand(long newest) {
        batch.reaches(newest);
        handler.onRecords(batch);
        batch.clear();
    }

    private void note(int event, CpuStream stream) {
        if (event == LOST) {
            add(CollectorCounter.LOST, stream.noteLost());
        } else if (event == CLOCK) {
            clockModel.update(stream.record());
            latestTimer = Long.MIN_VALUE;
        }
    }

    private void finishRound() throws IOException {
        add(CollectorCounter.ROUNDS, 1);
        newestTimer.lazySet(lastHandedTimer);
        pending = false;
        long malformed = 0;
        long corrupt = 0;
        for (int i = 0; i < all.size(); i++) {
            CpuStream stream = all.get(i);
            stream.publish();
            malformed += stream.malformed();
            corrupt += stream.corruptBytes();
            pending |= stream.hasRecord();
            if (stream.takeLastGap()) {
                handler.onGap(stream.cpu());
            }
        }
        cell(CollectorCounter.MALFORMED).lazySet(malformed);
        cell(CollectorCounter.CORRUPT_BYTES).lazySet(corrupt);
        for (int i = live.size() - 1; i >= 0; i--) {
            CpuStream stream = live.get(i);
            if (stream.ended() && !stream.hasRecord() && !stream.isAtBorder()) {
                stream.close();
                live.remove(i);
            }
        }
    }

    /**
     * Opens the files of CPUs that came online since.
     *
     * @throws IOException if some cannot be opened; later than at the first look after all others were, and the next look
     *     tries these again
     */
    private void rescan(long now) throws IOException {
        nextRescanNs = now + rescanNs;
        boolean first = known.isEmpty();
        boolean changed = false;
        IOException unopened = null;
        for (int cpu : directory.cpus()) {
            if (known.contains(cpu)) {
                continue;
            }
            try {
                open(cpu);
                known.add(cpu);
                changed = true;
            } catch (IOException e) {
                if (first) {
                    // Perhaps somebody else began before and gets them all: two who take what is left both fail.
                    throw e;
                }
                if (unopened == null) {
                    unopened = e;
                } else {
                    unopened.addSuppressed(e);
                }
            }
        }
        if (changed) {
            waitForLive();
        }
        if (unopened != null) {
            throw unopened;
        }
    }

    private void waitForLive() {
        poller.clear();
        for (CpuStream stream : live) {
            stream.pollIndex(poller.add(stream.file()));
        }
        poller.add(stopFlag);
    }

    private void open(int cpu) throws IOException {
        DataFile file = DataFile.open(directory.cpuFile(cpu));
        try {
            if (settings.watermarkBytes() > 0) {
                attributes.set(file, Attribute.READSIZE_WATERMARK, settings.watermarkBytes());
            }
            if (!settings.latest().isZero()) {
                attributes.set(
                        file, Attribute.MAX_READ_TIMEOUT, settings.latest().toNanos() / 1_000);
            }
            RawCopy copy = settings.rawDirectory() == null ? null : new RawCopy(settings.rawDirectory(), cpu);
            long backMost = clockModel.nanosToTicks(BACK_NS);
            CpuStream stream = new CpuStream(cpu, file, layout, settings, attributes, copy, epoch, backMost);
            batch.lookAt(cpu, stream.bytes());
            live.add(stream);
            all.add(stream);
            cpus = Math.max(cpus, cpu + 1);
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    private AtomicLong cell(CollectorCounter counter) {
        return Objects.requireNonNull(counters.get(counter));
    }

    private void add(CollectorCounter counter, long count) {
        AtomicLong cell = cell(counter);
        cell.lazySet(cell.get() + count);
    }
}
