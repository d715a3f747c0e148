// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import magnet.config.MagnetConfig;
import magnet.control.HitCounts;
import magnet.control.Selection;
import magnet.handler.run.HandlerKernel;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.Collector;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.CollectorSource;
import magnet.measure.KernelFacts;
import magnet.measure.RecordSource;
import magnet.os.DataFile;
import magnet.os.EventFd;
import magnet.os.NativeBuffer;
import magnet.os.Poller;
import magnet.record.ClockModel;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;

/**
 * A module whose data files are pipes that somebody else writes. Their timers are nanoseconds of CLOCK_MONOTONIC. Pipes have
 * no attributes; another pipe, {@value #READY}, stands in for the watermark: a byte in it says that there is enough to read
 * in all of them. Every point can be subscribed, and nothing comes of it.
 */
final class PipedKernel implements SensorKernel {
    /** The pipe that says so. */
    static final String READY = "ready";

    private static final int CPUS = 4;
    private static final int BATCH_BYTES = 128 * 1024;
    private static final Duration RESCAN = Duration.ofSeconds(2);

    private final ClockModel clock = new ClockModel(1_000_000, 0, 0, 0);
    private final Path folder;
    private long subscriptions;

    /** @param folder has the pipes cpu0 to cpu3 */
    PipedKernel(Path folder) {
        this.folder = folder;
    }

    @Override
    public KernelFacts facts() {
        return new KernelFacts(RecordLayout.WIDE, 1_000_000, clock, "0.1.0", "replay of " + folder);
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
        return new Subscription(++subscriptions, "");
    }

    @Override
    public List<HitCounts> unsubscribe(long id) {
        return List.of();
    }

    @Override
    public RecordSource open(MagnetConfig config, RecordHandler handler) throws ServiceException {
        CollectorSettings settings =
                new CollectorSettings(BATCH_BYTES, 0, Duration.ZERO, config.holdBack(), RESCAN, null);
        try {
            BufferDirectory buffer = new BufferDirectory(folder);
            return new Watermark(
                    new CollectorSource(
                            Collector.open(buffer, RecordLayout.WIDE, clock, handler, settings),
                            0,
                            () -> Long.MAX_VALUE),
                    DataFile.open(folder.resolve(READY)));
        } catch (IOException e) {
            throw ServiceException.of(ExitCode.INTERNAL, e);
        }
    }

    /** Nobody asks for any. */
    @Override
    public HandlerKernel connectHandlers() {
        throw new UnsupportedOperationException("own handlers in a replay");
    }

    @Override
    public void close() {
        // The pipes are somebody else's.
    }

    /** Sleeps until there is enough, and then lets all files be read at once. */
    private static final class Watermark extends ForwardingSource {
        private final DataFile ready;
        private final Poller poller = new Poller();
        private final EventFd stopFlag = EventFd.create();
        private final NativeBuffer bytes = NativeBuffer.allocate(64);

        Watermark(RecordSource files, DataFile ready) throws IOException {
            super(files);
            this.ready = ready;
            poller.add(ready);
            poller.add(stopFlag);
        }

        @Override
        public int doWork(int longestWaitMillis) throws IOException {
            if (poller.poll(longestWaitMillis) > 0) {
                ready.read(bytes, 0, bytes.size());
            }
            return super.doWork(0);
        }

        @Override
        public void stop() {
            stopFlag.raise();
            super.stop();
        }

        @Override
        public void close() throws IOException {
            super.close();
            ready.close();
            stopFlag.close();
        }
    }
}
