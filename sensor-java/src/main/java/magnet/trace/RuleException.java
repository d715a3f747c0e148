// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;

/** A rule is not one. The message says what is wrong, as the kernel's refusals do. */
public class RuleException extends IOException {
    private static final long serialVersionUID = 1;

    /** @param message what is wrong */
    public RuleException(String message) {
        super(message);
    }
}
