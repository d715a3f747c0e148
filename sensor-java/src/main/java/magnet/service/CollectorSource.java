// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.time.Duration;
import magnet.config.MagnetConfig;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.Collector;
import magnet.magnetfs.CollectorCounter;
import magnet.magnetfs.CollectorSettings;
import magnet.os.Errno;
import magnet.os.OsException;
import magnet.record.RecordHandler;

/**
 * The collector as the service sees it. Threads are as with the collector.
 *
 * @param collector the collector
 * @param ringBytes at least the size of the buffer, for each CPU
 */
record CollectorSource(Collector collector, long ringBytes) implements RecordSource {
    private static final int BATCH_BYTES = 128 * 1024;
    private static final Duration RESCAN = Duration.ofSeconds(2);

    /**
     * Opens a buffer for reading.
     *
     * @param facts what is known of the module
     * @throws ServiceException if it cannot be read
     */
    static RecordSource open(String buffer, SensorKernel.Facts facts, MagnetConfig config, RecordHandler handler)
            throws ServiceException {
        CollectorSettings settings = new CollectorSettings(
                BATCH_BYTES, config.watermarkBytes(), config.maxReadTimeout(), config.holdBack(), RESCAN, null);
        try {
            Collector collector =
                    Collector.open(BufferDirectory.find(buffer), facts.layout(), facts.clockModel(), handler, settings);
            return new CollectorSource(collector, 2 * config.bufferBytes());
        } catch (OsException e) {
            if (e.errno() == Errno.EACCES || e.errno() == Errno.EPERM) {
                throw new ServiceException(
                        ExitCode.NO_PERMISSION,
                        e.getMessage() + "; the user of magnetd must be in the group that /dev/magnet belongs to",
                        e);
            }
            throw ServiceException.of(ExitCode.INTERNAL, e);
        } catch (IOException e) {
            throw ServiceException.of(ExitCode.INTERNAL, e);
        }
    }

    @Override
    public int doWork(int longestWaitMillis) throws IOException {
        return collector.doWork(longestWaitMillis);
    }

    @Override
    public int readNow() throws IOException {
        return collector.readNow();
    }

    @Override
    public void catchUp() throws IOException {
        collector.catchUp();
    }

    @Override
    public int drain() throws IOException {
        return collector.drain();
    }

    @Override
    public int drainWhatIsThere() throws IOException {
        return collector.drain(ringBytes);
    }

    @Override
    public void stop() {
        collector.stop();
    }

    @Override
    public boolean hasEnded() {
        return collector.hasEnded();
    }

    @Override
    public long count(CollectorCounter counter) {
        return collector.count(counter);
    }

    @Override
    public long takeLongestCycle() {
        return collector.takeLongestCycle();
    }

    @Override
    public void close() throws IOException {
        collector.close();
    }
}
