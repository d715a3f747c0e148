// SPDX-License-Identifier: Apache-2.0
package magnet.service;

/** A point cannot be subscribed on this kernel; the message says why. The service goes on without it. */
final class PointException extends Exception {
    private static final long serialVersionUID = 1L;

    PointException(String message) {
        super(message);
    }
}
