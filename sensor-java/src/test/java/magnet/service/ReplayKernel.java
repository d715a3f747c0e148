// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import magnet.config.MagnetConfig;
import magnet.control.HitCounts;
import magnet.control.Selection;
import magnet.handler.run.HandlerKernel;
import magnet.hotpath.BusyMachine;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.Collector;
import magnet.magnetfs.CollectorCounter;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.CollectorSource;
import magnet.measure.KernelFacts;
import magnet.measure.RecordSource;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;
import magnet.testing.Fifo;

/**
 * A module that logs what a {@link BusyMachine} does, 1,000 events a second, and a {@link Collector} that reads it; time is
 * that of the records, so it goes by as fast as they are handled. What is logged repeats, later each time. It counts what
 * it logs by itself.
 */
final class ReplayKernel implements SensorKernel {
    static final int CPUS = 4;
    static final int LOST_AT_ONCE = 7;

    private static final int PER_SECOND = 1_000;
    private static final int SECONDS = 50;
    private static final int SPACING_NANOS = 1_000_000;
    private static final int TIMER_OFFSET = 24;
    private static final int LOST_BYTES = RecordLayout.WIDE.headerSize() + Payload.LOST.size();
    private static final CollectorSettings SETTINGS =
            new CollectorSettings(64 * 1024, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofDays(9), null);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final BusyMachine machine = new BusyMachine(1, CPUS, SPACING_NANOS, 0);
    private final byte[][][] logged = new byte[SECONDS][CPUS][];
    private final long[] ends = new long[SECONDS];
    private final long span;
    private final Path folder;
    private final long events;
    private final ClockModel clock = new ClockModel(1_000_000, 0, 0, 0);
    private final LongConsumer progress;
    private final Fifo[] files = new Fifo[CPUS];
    private final long[][] expected = new long[CPUS][EventType.ID_END];
    private Collector collector;
    private long now;
    private long written;
    private long lost;
    private long lostRecordsRead;
    private long allocated;
    private int next;

    /**
     * @param folder gets the files
     * @param events how many there are; then the reading stands still
     * @param progress is told how many events were logged after each second of them
     */
    ReplayKernel(Path folder, long events, LongConsumer progress) throws IOException {
        this.folder = folder;
        this.events = events;
        this.progress = progress;
        for (int second = 0; second < SECONDS; second++) {
            logged[second] = log(PER_SECOND, second == SECONDS - 1);
            ends[second] = machine.timer() + 1;
        }
        this.span = machine.timer() + SPACING_NANOS;
    }

    /** A second of events; at its end on CPU 0 perhaps a record of a loss. */
    private byte[][] log(int count, boolean loss) {
        ByteBuffer[] buffers = new ByteBuffer[CPUS];
        for (int cpu = 0; cpu < CPUS; cpu++) {
            buffers[cpu] = BusyMachine.room(PER_SECOND);
        }
        for (int i = 0; i < count; i++) {
            machine.log(buffers);
        }
        if (loss) {
            buffers[0].putInt(LOST_BYTES).putShort((short) 0).putShort((short) EventType.LOST.id());
            buffers[0].putLong(0).putLong(0).putLong(machine.timer() + 1).putLong(LOST_AT_ONCE);
            buffers[0].putLong(machine.timer()).putLong(machine.timer());
        }
        byte[][] bytes = new byte[CPUS][];
        for (int cpu = 0; cpu < CPUS; cpu++) {
            bytes[cpu] = new byte[buffers[cpu].position()];
            buffers[cpu].get(0, bytes[cpu]);
        }
        return bytes;
    }

    /** Time of the records, in nanoseconds. */
    long now() {
        return now;
    }

    /** What was logged, by CPU and id. */
    long[][] expected() {
        return expected;
    }

    /** Events that LOST records told of. */
    long lost() {
        return lost;
    }

    /** Events that were handed on. */
    long handed() {
        return collector.count(CollectorCounter.RECORDS) - lostRecordsRead;
    }

    /** Bytes that reading, merging and summarising allocated since the last call. */
    long takeAllocated() {
        long taken = allocated;
        allocated = 0;
        return taken;
    }

    @Override
    public KernelFacts facts() {
        return new KernelFacts(RecordLayout.WIDE, 1_000_000, clock, "0.1.0", "replay");
    }

    @Override
    public Map<Integer, String> dropReasons() {
        return Map.of(2, "NOT_SPECIFIED");
    }

    @Override
    public int createBuffer(long bytes) {
        return CPUS;
    }

    @Override
    public Subscription subscribe(String point, Selection selection) {
        return new Subscription(1, "");
    }

    @Override
    public List<HitCounts> unsubscribe(long id) {
        return List.of();
    }

    @Override
    public RecordSource open(MagnetConfig config, RecordHandler handler) throws ServiceException {
        try {
            BufferDirectory buffer = new BufferDirectory(folder);
            for (int cpu = 0; cpu < CPUS; cpu++) {
                files[cpu] = Fifo.create(buffer.cpuFile(cpu));
            }
            collector = Collector.open(
                    buffer, RecordLayout.WIDE, clock, record -> hand(handler, record), SETTINGS, () -> now);
            return new Source(new CollectorSource(collector, 0, () -> Long.MAX_VALUE));
        } catch (IOException e) {
            throw ServiceException.of(ExitCode.INTERNAL, e);
        }
    }

    private void hand(RecordHandler handler, RecordFlyweight record) {
        lostRecordsRead += record.event() == EventType.LOST.id() ? 1 : 0;
        handler.onRecord(record);
    }

    private void logNext() throws IOException {
        if (events - written < PER_SECOND) {
            int rest = (int) (events - written);
            // The machine goes on from where the first round ended; it is later now.
            byte[][] last = log(rest, false);
            write(last, now - machine.timer() + 2L * SPACING_NANOS * rest);
            written += rest;
            now += 1_000_000_000 + 2L * SPACING_NANOS * rest;
            return;
        }
        byte[][] second = logged[next];
        write(second, 0);
        for (byte[] records : second) {
            makeLater(records, span);
        }
        lost += next == SECONDS - 1 ? LOST_AT_ONCE : 0;
        written += PER_SECOND;
        now = ends[next];
        ends[next] += span;
        next = (next + 1) % SECONDS;
    }

    private void write(byte[][] records, long later) throws IOException {
        for (int cpu = 0; cpu < CPUS; cpu++) {
            makeLater(records[cpu], later);
            count(records[cpu]);
            files[cpu].write(records[cpu]);
        }
    }

    private void count(byte[] bytes) {
        ByteBuffer records = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        for (int at = 0; at < bytes.length; at += records.getInt(at)) {
            expected[records.getShort(at + 4)][records.getShort(at + 6)]++;
        }
    }

    private static void makeLater(byte[] bytes, long later) {
        ByteBuffer records = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        for (int at = 0; later != 0 && at < bytes.length; at += records.getInt(at)) {
            records.putLong(at + TIMER_OFFSET, records.getLong(at + TIMER_OFFSET) + later);
        }
    }

    /** Nobody asks for any. */
    @Override
    public HandlerKernel connectHandlers() {
        throw new UnsupportedOperationException("own handlers in a replay");
    }

    @Override
    public void close() {
        // Its source closes the files.
    }

    /** Logs a second of events before each reading of them. */
    private final class Source extends ForwardingSource {
        Source(RecordSource to) {
            super(to);
        }

        @Override
        public int doWork(int longestWaitMillis) throws IOException {
            if (written < events) {
                logNext();
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            int handed = super.doWork(0);
            allocated += threads.getCurrentThreadAllocatedBytes() - before;
            progress.accept(written);
            return handed;
        }

        @Override
        public void close() throws IOException {
            super.close();
            for (Fifo file : files) {
                file.close();
            }
        }
    }
}
