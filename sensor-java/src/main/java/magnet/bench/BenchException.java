// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.io.IOException;

/** It can't be measured, or what was measured is not what was meant; the message says why. */
public final class BenchException extends IOException {
    private static final long serialVersionUID = 1;

    BenchException(String message) {
        super(message);
    }
}
