// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import magnet.config.MagnetConfig;
import magnet.handler.run.HandlerKernel;
import magnet.job.JobNames;
import magnet.machine.UnwatchedJobs;
import magnet.measure.KernelFacts;
import magnet.measure.PointControl;
import magnet.measure.RecordSource;
import magnet.publish.muse.EventTap;
import magnet.record.RecordHandler;
import magnet.recorder.TriggeredSaves;

/**
 * What the service needs of the kernel module: one buffer of its own, subscriptions to points, and a reader.
 *
 * <p>Closing it ends the buffer and everything in it; so does the kernel when the process dies. For one thread.
 */
interface SensorKernel extends PointControl, AutoCloseable {
    /** The buffer's name; the kernel grants it to one magnetd at a time. */
    String BUFFER = "magnetd";

    /** What was found out at the beginning. */
    KernelFacts facts();

    /** The names of the kernel's reasons to drop a packet, by number; empty if they are not known. */
    Map<Integer, String> dropReasons();

    /**
     * Jobs whose events the module does not know.
     *
     * @throws IOException if that cannot be found out
     */
    default Optional<UnwatchedJobs> unwatchedJobs(JobNames names) throws IOException {
        return Optional.empty();
    }

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
     * @throws IOException if that cannot be done
     */
    HandlerKernel connectHandlers() throws IOException;

    /**
     * Connects once more, for events of MUSE's clients.
     *
     * @param handler gets the records
     * @throws IOException if that cannot be done
     */
    default EventTap tap(MagnetConfig config, RecordHandler handler) throws IOException {
        throw new IOException("there is no kernel behind it");
    }

    /**
     * How flight recorders are saved, each time over a connection of its own.
     *
     * @throws IOException if that cannot be done
     */
    default TriggeredSaves.Kernel recorders() throws IOException {
        throw new IOException("there is no kernel behind it");
    }

    @Override
    void close();
}
