// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.io.IOException;

/** The traces of a run cannot be put on one clock; its message is a line for the user. */
public final class SyncException extends IOException {
    private static final long serialVersionUID = 1;

    public SyncException(String message) {
        super(message);
    }
}
