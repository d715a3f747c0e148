// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

/** The guest did not do what it was asked for: it did not boot, it ended, or a time limit passed. */
public class GuestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    GuestException(String message) {
        super(message);
    }

    GuestException(String message, Throwable cause) {
        super(message, cause);
    }
}
