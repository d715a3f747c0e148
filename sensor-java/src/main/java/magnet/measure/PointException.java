// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

/** A point cannot be subscribed on this kernel; the message says why. Who measures goes on without it. */
public final class PointException extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param message why */
    public PointException(String message) {
        super(message);
    }
}
