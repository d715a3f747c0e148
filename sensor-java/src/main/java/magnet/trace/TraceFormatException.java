// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;

/** A file is not what it should be. The message names the file and is one line for people. */
public final class TraceFormatException extends IOException {
    private static final long serialVersionUID = 1;

    TraceFormatException(String message) {
        super(message);
    }
}
