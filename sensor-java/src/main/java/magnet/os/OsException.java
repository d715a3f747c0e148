// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.io.IOException;

/** A system call failed. */
public class OsException extends IOException {
    private static final long serialVersionUID = 1;

    private final int number;

    /**
     * An exception whose message is {@code what: text (NAME)}.
     *
     * @param what the call and what it was about
     * @param number errno, positive
     */
    public OsException(String what, int number) {
        super(what + ": " + Errno.describe(number));
        this.number = number;
    }

    /** The error number as a constant. */
    public Errno errno() {
        return Errno.of(number);
    }

    /** The error number, positive. */
    public int number() {
        return number;
    }
}
