// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.util.Optional;
import magnet.os.Errno;
import magnet.os.OsException;

/**
 * The kernel refused a request. The message says what was asked, and what the kernel had to say about it: its own
 * words where there are any, errno's otherwise.
 */
public final class ControlException extends OsException {
    private static final long serialVersionUID = 1;

    private final String request;
    private final String kernelText;

    ControlException(String request, int number, String kernelText) {
        super(request, number);
        this.request = request;
        this.kernelText = kernelText;
    }

    /** The kernel's own words on what was wrong. */
    public Optional<String> kernelText() {
        return kernelText.isEmpty() ? Optional.empty() : Optional.of(kernelText);
    }

    @Override
    public String getMessage() {
        return request + ": " + (kernelText.isEmpty() ? Errno.describe(number()) : kernelText + " (" + errno() + ")");
    }
}
