// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import magnet.config.MagnetConfig;
import magnet.control.HitCounts;
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
interface HandlerKernel extends AutoCloseable {
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

    /**
     * Subscribes a point.
     *
     * @param rules that act in the kernel; none if empty
     * @param snapBytes bytes of the packet that records carry
     * @return number of the subscription
     * @throws PointException if this kernel does not have it, or refuses the rules
     */
    long subscribe(String point, String rules, int snapBytes) throws PointException;

    /**
     * Takes the rules from a subscription.
     *
     * @param snapBytes bytes of the packet that records carry from now on
     * @throws PointException if the kernel refuses
     */
    void loosen(long id, int snapBytes) throws PointException;

    /** Ends a subscription; gives its final counters by CPU, or none if they cannot be had any more. */
    List<HitCounts> unsubscribe(long id);

    /** Hits that probes of these subscriptions have missed so far; empty if that cannot be asked. */
    OptionalLong missed(Set<Long> ids);

    /** Opens the buffer for reading. */
    RecordSource open(MagnetConfig config, RecordHandler handler) throws ServiceException;

    @Override
    void close();
}
