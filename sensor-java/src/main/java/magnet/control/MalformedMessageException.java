// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;

/** The kernel's bytes are not what the protocol says. */
public final class MalformedMessageException extends IOException {
    private static final long serialVersionUID = 1;

    MalformedMessageException(String message) {
        super("malformed netlink message: " + message);
    }
}
