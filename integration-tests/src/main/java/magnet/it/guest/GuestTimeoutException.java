// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

/** A command in the guest did not end in time; it has been killed. */
public final class GuestTimeoutException extends GuestException {
    private static final long serialVersionUID = 1;

    GuestTimeoutException(String message) {
        super(message);
    }
}
