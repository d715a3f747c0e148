// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;

/** A command cannot do what it was asked to; the message is the line that its user sees. */
public final class Failure extends IOException {
    private static final long serialVersionUID = 1;

    public Failure(String message) {
        super(message);
    }
}
