// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.util.Locale;

/** System calls that do next to nothing, for measuring what is added to them. */
public enum CheapCall {
    /**
     * Stops the process's timer of its user time, {@code ITIMER_VIRTUAL}, which nothing in a JVM uses. Passes the
     * tracepoint {@code itimer_state} once.
     */
    SETITIMER,
    /** Asks for the parent's id. */
    GETPPID;

    private static final int ITIMER_VIRTUAL = 1;
    private static final int ITIMERVAL_BYTES = 32;

    /** Made when it is needed first. */
    private static final class Stopped {
        /** {@code struct itimerval} with nothing in it. */
        static final NativeBuffer TIMER = NativeBuffer.allocate(ITIMERVAL_BYTES);
    }

    /** Makes the call so many times. */
    public void repeat(int times) {
        Libc.require();
        switch (this) {
            case SETITIMER -> setitimer(times);
            case GETPPID -> getppid(times);
        }
    }

    private static void setitimer(int times) {
        long address = Stopped.TIMER.address(0, ITIMERVAL_BYTES);
        for (int i = 0; i < times; i++) {
            Libc.setitimer(ITIMER_VIRTUAL, address, 0);
        }
    }

    private static void getppid(int times) {
        for (int i = 0; i < times; i++) {
            Libc.getppid();
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
