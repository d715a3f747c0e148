// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

import java.nio.file.Path;
import java.time.InstantSource;
import magnet.control.ControlSource;
import magnet.control.MagnetControl;
import magnet.job.JobNames;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.OwnBuffer;
import magnet.os.MonotonicClock;

/**
 * What an adaptation needs of the node that it runs on. Programs have no need of it: {@link #running} is the default.
 *
 * @param control opens the control socket
 * @param buffers finds a buffer's data files
 * @param reading how records are read
 * @param processes the folder with a folder for each process
 * @param devices the folder with a folder for each network device
 * @param jobs which control groups are jobs
 * @param clock CLOCK_MONOTONIC
 * @param wall the wall clock
 */
public record Node(
        ControlSource control,
        OwnBuffer.Finder buffers,
        CollectorSettings reading,
        Path processes,
        Path devices,
        JobNames jobs,
        MonotonicClock clock,
        InstantSource wall) {

    /** The one that this runs on, with the built-in list of jobs. */
    public static Node running() {
        return new Node(
                MagnetControl::open,
                BufferDirectory::find,
                CollectorSettings.prompt(),
                Path.of("/proc"),
                Path.of("/sys/class/net"),
                JobNames.DEFAULTS,
                MonotonicClock.SYSTEM,
                InstantSource.system());
    }
}
