// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import magnet.config.MagnetConfig;
import magnet.measure.PointControl;
import magnet.measure.PointException;
import magnet.measure.RecordSource;
import magnet.record.RecordHandler;

/**
 * What own handlers need of the kernel module: a buffer of their own, so that rules of theirs keep nothing from the
 * built-in ones, points that are inserted, and a reader.
 *
 * <p>Closing it ends all that it made; so does the kernel when the process dies. For one thread, which need not be that of
 * the {@link SensorKernel}.
 */
interface HandlerKernel extends PointControl, AutoCloseable {
    /** The buffer's name. */
    String BUFFER = "magnetd-handlers";

    /** What was found out at the beginning. */
    SensorKernel.Facts facts();

    /**
     * Creates the buffer.
     *
     * @param bytes size for each CPU; the kernel rounds up
     * @throws ServiceException with ALREADY_RUNNING if there is one of the name
     */
    void createBuffer(long bytes) throws ServiceException;

    /**
     * Inserts a dynamic point.
     *
     * @return the id of its events
     * @throws PointException if this kernel refuses it
     */
    int insert(String name, String definition) throws PointException;

    /** Removes a dynamic point, if it is still there. */
    void remove(String name);

    /** Opens the buffer for reading. */
    RecordSource open(MagnetConfig config, RecordHandler handler) throws ServiceException;

    @Override
    void close();
}
