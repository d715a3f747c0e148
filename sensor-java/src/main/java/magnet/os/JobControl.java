// SPDX-License-Identifier: Apache-2.0
package magnet.os;

/**
 * What the user does by Ctrl-Z and the shell by {@code fg}: the process stops, and goes on. Stateless.
 */
public final class JobControl {
    private static final int SIGSTOP = 19;

    private JobControl() {}

    /**
     * From now on does this before the process stops because of SIGTSTP, and that when it goes on after any stop; each on a
     * thread of the JVM. Nothing changes if SIGTSTP is ignored.
     */
    public static void around(Runnable beforeStop, Runnable afterwards) {
        Libc.require();
        boolean stops = Signals.handle("TSTP", () -> {
            beforeStop.run();
            Libc.kill((int) ProcessHandle.current().pid(), SIGSTOP);
        });
        if (stops) {
            Signals.handle("CONT", afterwards);
        }
    }
}
