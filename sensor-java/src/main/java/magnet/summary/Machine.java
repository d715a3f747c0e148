// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Map;

/** What only the running machine knows, asked when a window ends and never for an event. For one thread. */
public interface Machine {
    /**
     * The processes that there were.
     *
     * @param beginNanos CLOCK_MONOTONIC before the first was looked at
     * @param endNanos the same after the last
     * @param count how many, zombies left out
     */
    record Processes(long beginNanos, long endNanos, long count) {}

    /** The name of a process, with any character; empty if it cannot be had any more. */
    String processName(int process);

    /** The name of a system call of this architecture; {@code call N} if it is not known. */
    String systemCallName(int number);

    /** The names that the module's control file {@code drop_reasons} gives to the kernel's reasons; empty if it cannot be read. */
    Map<Integer, String> dropReasons();

    /** Looks at all processes. */
    Processes processes();
}
