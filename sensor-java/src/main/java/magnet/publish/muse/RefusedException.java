// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

/** What a client asked for cannot be done; the message is told to it. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
        super(message);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
