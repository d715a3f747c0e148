// SPDX-License-Identifier: Apache-2.0
package magnet.os;

/** SIGHUP, which by default ends a JVM, as what it is to services: the request to read their configuration again. Stateless. */
public final class Hangup {
    private Hangup() {}

    /**
     * From now on runs this at each SIGHUP, on a thread of the JVM.
     *
     * @return false if it will not: the process was started with SIGHUP ignored (nohup), which stays so; the JVM was told
     *     not to handle signals (-Xrs), or has no such class
     */
    public static boolean onHangup(Runnable action) {
        return Signals.handle("HUP", action);
    }
}
