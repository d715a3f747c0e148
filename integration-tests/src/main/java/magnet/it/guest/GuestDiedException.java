// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

/** The guest ended by itself: its kernel panicked, it rebooted, or QEMU was killed. */
public final class GuestDiedException extends GuestException {
    private static final long serialVersionUID = 1;

    GuestDiedException(String message) {
        super(message);
    }
}
