// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.util.Map;
import magnet.config.MagnetConfig;
import magnet.measure.PointControl;
import magnet.measure.RecordSource;
import magnet.publish.muse.EventTap;
import magnet.record.ClockModel;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;

/**
 * What the service needs of the kernel module: one buffer of its own, subscriptions to points, and a reader.
 *
 * <p>Closing it ends the buffer and everything in it; so does the kernel when the process dies. For one thread.
 */
interface SensorKernel extends PointControl, AutoCloseable {
    /** The buffer's name; the kernel grants it to one magnetd at a time. */
    String BUFFER = "magnetd";

    /**
     * What was found out at the beginning.
     *
     * @param layout how records are laid out
     * @param ticksPerMilli ticks of the records' timer in a millisecond
     * @param clockModel places timers on the monotonic clock
     * @param description version and clock of the module, for a log line
     */
    record Facts(RecordLayout layout, long ticksPerMilli, ClockModel clockModel, String description) {}

    Facts facts();

    /** The names of the kernel's reasons to drop a packet, by number; empty if they are not known. */
    Map<Integer, String> dropReasons();

    /**
     * Creates the buffer.
     *
     * @param bytes size for each CPU; the kernel rounds up
     * @return CPUs that it has a ring for
     * @throws ServiceException with ALREADY_RUNNING if another magnetd has it
     */
    int createBuffer(long bytes) throws ServiceException;

    /** Opens the buffer for reading. */
    RecordSource open(MagnetConfig config, RecordHandler handler) throws ServiceException;

    /**
     * Connects once more, for own handlers.
     *
     * @throws ServiceException if that cannot be done
     */
    HandlerKernel connectHandlers() throws ServiceException;

    /**
     * Connects once more, for events of MUSE's clients.
     *
     * @param handler gets the records
     * @throws IOException if that cannot be done
     */
    default EventTap tap(MagnetConfig config, RecordHandler handler) throws IOException {
        throw new IOException("there is no kernel behind it");
    }

    @Override
    void close();
}
