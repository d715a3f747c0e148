// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.util.List;

/**
 * What one node did. Times are ticks of its timer since the begin of its trace. Immutable.
 *
 * @param name what sets it apart from the others
 * @param host the machine that its trace comes from
 * @param axis what its ticks are in the time of the run
 * @param end when its trace ends
 * @param cpus in the order of their numbers
 * @param threads that ran, or could have
 * @param markers in the order of time
 * @param packets that it sent and received
 * @param counts of its events
 */
public record NodeIndex(
        String name,
        String host,
        TimeAxis axis,
        long end,
        List<CpuIndex> cpus,
        ThreadTable threads,
        List<Marker> markers,
        PacketLog packets,
        Counts counts) {
    /**
     * How much there is.
     *
     * @param events that the trace has, as "magnet report" counts them
     * @param lost events that were lost or refused when it was saved
     * @param switches from one thread to another
     * @param markersLeftOut that there was no room for
     * @param impossible records whose time cannot be right: they were passed over
     */
    public record Counts(long events, long lost, long switches, long markersLeftOut, long impossible) {}

    /** The same node with another idea of the time. */
    public NodeIndex with(TimeAxis other) {
        return new NodeIndex(name, host, other, end, cpus, threads, markers, packets, counts);
    }

    /** Slices that threads had of its CPUs. */
    public long slices() {
        return cpus.stream().mapToLong(cpu -> cpu.threads().busySlices()).sum();
    }
}
