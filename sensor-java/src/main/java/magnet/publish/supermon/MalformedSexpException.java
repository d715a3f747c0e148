// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;

/** What came is no s-expression, or a larger one than is taken. */
final class MalformedSexpException extends IOException {
    private static final long serialVersionUID = 1;

    MalformedSexpException(String message) {
        super(message);
    }
}
