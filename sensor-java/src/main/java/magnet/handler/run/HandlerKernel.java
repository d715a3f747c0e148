// SPDX-License-Identifier: Apache-2.0
package magnet.handler.run;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.KernelFacts;
import magnet.measure.PointControl;
import magnet.measure.PointException;
import magnet.measure.RecordSource;
import magnet.record.RecordHandler;
import magnet.record.Words;

/**
 * What own handlers need of the kernel module: a buffer of their own, so that rules of theirs keep nothing from the
 * built-in ones, points that are inserted, and a reader.
 *
 * <p>Closing it ends all that it made; so does the kernel when the process dies. For one thread.
 */
public interface HandlerKernel extends PointControl, AutoCloseable {
    /** The buffer's name. */
    String BUFFER = "magnetd-handlers";

    /** How one gets at the module. */
    @FunctionalInterface
    interface HandlerConnector {
        /**
         * Connects to it.
         *
         * @throws IOException if there is none that can be talked to
         */
        HandlerKernel connect() throws IOException;
    }

    /** What was found out at the beginning. */
    KernelFacts facts();

    /** What numbers in its records mean; asked only for rules that have words. */
    default Words words() throws IOException {
        return Words.common();
    }

    /**
     * Creates the buffer. Waits some seconds for the end of the last run's.
     *
     * @param bytes size for each CPU; the kernel rounds up
     * @param isOver whether nobody wants it any more
     * @throws IOException if the kernel refuses it: with EEXIST if there still is one of the name
     */
    void createBuffer(long bytes, BooleanSupplier isOver) throws IOException;

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
    RecordSource open(CollectorSettings settings, RecordHandler handler) throws IOException;

    @Override
    void close();
}
