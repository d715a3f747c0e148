// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;

/** The definition of a dynamic point is not one. The message says what is wrong, in the kernel's words where it has some. */
public final class DefinitionException extends IOException {
    private static final long serialVersionUID = 1;

    DefinitionException(String message) {
        super(message);
    }
}
