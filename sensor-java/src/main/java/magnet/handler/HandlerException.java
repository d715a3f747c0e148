// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

/** A handler cannot be used. The message says which and why, in one line. */
public final class HandlerException extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param message which and why, in one line */
    public HandlerException(String message) {
        super(message);
    }

    /** The same with what was thrown. */
    public HandlerException(String message, Throwable cause) {
        super(message, cause);
    }
}
