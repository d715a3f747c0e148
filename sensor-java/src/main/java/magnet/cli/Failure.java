// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;

/** A command cannot do what it was asked to; the message is the line that its user sees. */
final class Failure extends IOException {
    private static final long serialVersionUID = 1;

    Failure(String message) {
        super(message);
    }
}
