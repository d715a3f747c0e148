// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

/** A text is no expression. The message is one line, and marks the place. */
public final class ExpressionException extends Exception {
    private static final long serialVersionUID = 1;

    ExpressionException(String message) {
        super(message);
    }
}
