// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Map;
import java.util.Set;

/**
 * What only the running machine knows, asked when a window ends and never for an event. Whoever builds the window's snapshot
 * asks for names of processes, for processes, and looks around; all else is for any thread.
 */
public interface Machine {
    /**
     * The processes that there were.
     *
     * @param beginNanos CLOCK_MONOTONIC before the first was looked at
     * @param endNanos the same after the last
     * @param count how many, zombies left out
     */
    record Processes(long beginNanos, long endNanos, long count) {}

    /**
     * The network devices of this process's own network namespace.
     *
     * @param namespace inode of the namespace, 0 if it is not known
     * @param leftOut indexes of those devices that gmond does not count: the loopback, bonds and VLANs
     */
    record NetworkNamespace(long namespace, Set<Integer> leftOut) {
        public NetworkNamespace {
            leftOut = Set.copyOf(leftOut);
        }
    }

    /** The name of a process, with any character; empty if it cannot be had any more. */
    String processName(int process);

    /** The name of a system call of this architecture; {@code call N} if it is not known. */
    String systemCallName(int number);

    /** What the kernel calls its reasons to drop a packet, by number; empty if that is not known. */
    Map<Integer, String> dropReasons();

    /** Looks at all processes. */
    Processes processes();

    /** The network devices, as they were when {@link #lookAround} was called last. */
    NetworkNamespace network();

    /**
     * Looks at what {@link #network} and {@link #systemCallName} give, so that they need not. May take long.
     */
    default void lookAround() {}
}
