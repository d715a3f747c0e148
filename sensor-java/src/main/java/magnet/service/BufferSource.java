// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.time.Duration;
import magnet.config.MagnetConfig;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.KernelFacts;
import magnet.measure.OwnBuffer;
import magnet.measure.RecordSource;
import magnet.os.Errno;
import magnet.os.OsException;
import magnet.record.RecordHandler;

/** Opens the service's buffers for reading, as its configuration says. Stateless. */
final class BufferSource {
    private BufferSource() {}

    private static final int BATCH_BYTES = 128 * 1024;
    private static final Duration RESCAN = Duration.ofSeconds(2);

    /** How the configuration wants the service's buffers read. */
    static CollectorSettings settings(MagnetConfig config) {
        return new CollectorSettings(
                BATCH_BYTES, config.watermarkBytes(), config.maxReadTimeout(), config.holdBack(), RESCAN, null);
    }

    /**
     * Becomes a buffer's reader.
     *
     * @param facts what is known of the module
     * @throws ServiceException if it cannot be read
     */
    static RecordSource open(OwnBuffer buffer, KernelFacts facts, MagnetConfig config, RecordHandler handler)
            throws ServiceException {
        try {
            return buffer.read(handler, facts.clockModel(), settings(config));
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
}
