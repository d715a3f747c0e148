// SPDX-License-Identifier: Apache-2.0
package magnet.hotpath;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import magnet.job.JobNames;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.Collector;
import magnet.magnetfs.CollectorSettings;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.record.ClockModel;
import magnet.record.RecordLayout;
import magnet.summary.EventSummary;
import magnet.summary.SavedMachine;
import magnet.summary.SummarySetup;
import magnet.summary.TimerScale;
import magnet.testing.Fifo;

/**
 * The service's path of an event: data files of four CPUs, {@link Collector} with its merge, {@link EventSummary} with its
 * handlers. What is in the files is what a {@link BusyMachine} logs, {@value #BATCH} events at a time; after
 * {@value #BATCHES} batches the same ones come again, later. For one thread.
 */
final class HotPath implements AutoCloseable {
    /** Events that {@link #run} handles. */
    static final int BATCH = 4_096;

    static final int CPUS = 4;
    private static final int BATCHES = 64;
    private static final int SLOTS = 5;
    /** So that each batch is longer than the least time from one look at all files to the next. */
    private static final int SPACING_NANOS = 2_000;

    private static final int TIMER_OFFSET = 24;
    private static final CollectorSettings SETTINGS =
            new CollectorSettings(128 * 1024, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofHours(1), null);

    private final List<Metric> metrics;
    private final Fifo[] files = new Fifo[CPUS];
    private final byte[][][] batches = new byte[BATCHES][CPUS][];
    private final long[] ends = new long[BATCHES];
    private final BusyMachine machine;
    private final EventSummary summary;
    private final Collector collector;
    private final long span;
    private int next;
    private long now;

    /** The machine whose events these are, as a rule. */
    static BusyMachine machine() {
        return new BusyMachine(1, CPUS, SPACING_NANOS, 0);
    }

    /** @param folder gets the files */
    HotPath(Path folder, List<Metric> metrics) throws IOException {
        this(folder, metrics, machine());
    }

    /** What another machine does. */
    HotPath(Path folder, List<Metric> metrics, BusyMachine machine) throws IOException {
        this.metrics = metrics;
        this.machine = machine;
        ByteBuffer[] buffers = new ByteBuffer[CPUS];
        for (int cpu = 0; cpu < CPUS; cpu++) {
            buffers[cpu] = BusyMachine.room(BATCH);
        }
        for (int i = 0; i < BATCHES; i++) {
            log(i, buffers);
        }
        this.span = machine.timer() + SPACING_NANOS;
        ClockModel clock = new ClockModel(1_000_000, 0, 0, 0);
        this.summary = new EventSummary(
                new SummarySetup(
                        CPUS,
                        SLOTS,
                        TimerScale.ofKhz(1_000_000),
                        clock,
                        new SavedMachine(Map.of(), Map.of()),
                        JobNames.DEFAULTS),
                0);
        summary.use(metrics, 0);
        BufferDirectory buffer = new BufferDirectory(folder);
        for (int cpu = 0; cpu < CPUS; cpu++) {
            files[cpu] = Fifo.create(buffer.cpuFile(cpu));
        }
        this.collector = Collector.open(buffer, RecordLayout.WIDE, clock, summary, SETTINGS, () -> now);
    }

    /** With all metrics of a level, which is one of {@link Level}'s names. */
    static HotPath at(Path folder, String level) throws IOException {
        return new HotPath(folder, Metrics.of(Level.valueOf(level)));
    }

    private void log(int batch, ByteBuffer[] buffers) {
        for (int i = 0; i < BATCH; i++) {
            machine.log(buffers);
        }
        for (int cpu = 0; cpu < CPUS; cpu++) {
            batches[batch][cpu] = new byte[buffers[cpu].position()];
            buffers[cpu].get(0, batches[batch][cpu]);
            buffers[cpu].clear();
        }
        ends[batch] = machine.timer();
    }

    /** Bytes of an event on average. */
    double meanSize() {
        return (double) machine.bytes() / (BATCH * BATCHES);
    }

    /** Kinds of events that there are. */
    int kinds() {
        return machine.counts().size();
    }

    /** Logs the next batch, for {@link #run}. */
    void log() throws IOException {
        for (int cpu = 0; cpu < CPUS; cpu++) {
            files[cpu].write(batches[next][cpu]);
            makeLater(ByteBuffer.wrap(batches[next][cpu]).order(ByteOrder.nativeOrder()));
        }
        now = ends[next] + SETTINGS.holdBack().toNanos();
        ends[next] += span;
        next = (next + 1) % BATCHES;
    }

    private void makeLater(ByteBuffer records) {
        for (int at = 0; at < records.capacity(); at += records.getInt(at)) {
            records.putLong(at + TIMER_OFFSET, records.getLong(at + TIMER_OFFSET) + span);
        }
    }

    /** What is measured: reads, merges, decodes, pairs and summarises a batch; gives how many events it has. */
    int run() throws IOException {
        return collector.doWork(0);
    }

    /** Ends the window, as it is ended every 5 s. */
    MetricSnapshot closeWindow() {
        return summary.closeWindow(now, Instant.EPOCH, metrics, others -> {});
    }

    EventSummary summary() {
        return summary;
    }

    @Override
    public void close() throws IOException {
        collector.close();
        for (Fifo file : files) {
            file.close();
        }
    }
}
