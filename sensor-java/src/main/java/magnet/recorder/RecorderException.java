// SPDX-License-Identifier: Apache-2.0
package magnet.recorder;

import java.io.IOException;

/** A flight recorder cannot be had or saved. The message is one line: why, and what to do about it. */
public final class RecorderException extends IOException {
    private static final long serialVersionUID = 1;

    /** @param message one line */
    public RecorderException(String message) {
        super(message);
    }
}
