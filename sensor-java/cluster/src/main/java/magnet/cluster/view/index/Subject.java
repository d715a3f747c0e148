// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

/**
 * Numbers for whose a slice of a lane is: what no thread has, and threads or interrupts from {@link #FIRST} on. Stateless.
 */
public final class Subject {
    /** The CPU has nothing to do. */
    public static final int IDLE = 0;
    /** The trace does not say. */
    public static final int UNKNOWN = 1;
    /** Events were lost, or bytes of the trace are no records. */
    public static final int LOST = 2;
    /** Nothing of what the lane shows. */
    public static final int NOTHING = 3;
    /** From here on: a thread by its number in {@link ThreadTable}, or an interrupt by its own. */
    public static final int FIRST = 4;

    static final int BITS = 24;
    /** The last one: all that have no number of their own. */
    static final int LAST = (1 << BITS) - 1;

    private Subject() {}

    /** Whether it is time that somebody had. */
    public static boolean isBusy(int subject) {
        return subject >= FIRST;
    }
}
