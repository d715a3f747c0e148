// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import magnet.control.ControlSource;
import magnet.control.MagnetControl;
import magnet.magnetfs.BufferDirectory;
import magnet.measure.OwnBuffer;
import magnet.os.ClockQuality;

/**
 * What recordings need of the machine; tests make one of their own.
 *
 * @param host what it is called
 * @param control opens the control socket
 * @param buffers finds data files
 * @param processes the folder with a folder for each process
 * @param format the module's control file {@code format}
 * @param wallNs the wall clock, nanoseconds since 1970
 * @param monotonicNs CLOCK_MONOTONIC
 * @param clock how good the wall clock is
 */
public record Machine(
        String host,
        ControlSource control,
        OwnBuffer.Finder buffers,
        Path processes,
        Path format,
        LongSupplier wallNs,
        LongSupplier monotonicNs,
        ClockSourceQuality clock) {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** Tells how good the wall clock is. */
    @FunctionalInterface
    public interface ClockSourceQuality {
        ClockQuality now() throws IOException;
    }

    /** This one. */
    public static Machine running(String host) {
        return new Machine(
                host,
                MagnetControl::open,
                BufferDirectory::find,
                Path.of("/proc"),
                Path.of("/sys/kernel/debug/magnet/control/format"),
                Machine::wallNow,
                System::nanoTime,
                ClockQuality::now);
    }

    /** The wall clock now, nanoseconds since 1970. */
    public static long wallNow() {
        java.time.Instant now = java.time.Instant.now();
        return now.getEpochSecond() * NANOS_PER_SECOND + now.getNano();
    }
}
