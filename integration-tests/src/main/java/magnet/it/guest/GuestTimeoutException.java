// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

/**
 * The harness has waited for too long: a command did not end in time and has been killed, or a guest did not come up or go
 * down. It says nothing about the product, or everything: {@code harness/classes-to-rerun} goes by this type.
 */
public final class GuestTimeoutException extends GuestException {
    private static final long serialVersionUID = 1;

    GuestTimeoutException(String message) {
        super(message);
    }
}
