// SPDX-License-Identifier: Apache-2.0
package magnet.os;

/** The terminal, if there is one. */
public final class Terminal {
    private static final int STDERR = 2;

    private Terminal() {}

    /** Whether what goes to the standard error is shown on a terminal. */
    public static boolean isError() {
        Libc.require();
        return Libc.isatty(STDERR) == 1;
    }
}
