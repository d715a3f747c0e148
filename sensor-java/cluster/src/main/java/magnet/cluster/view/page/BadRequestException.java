// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.io.IOException;

/** A request cannot be answered; the message says why. */
final class BadRequestException extends IOException {
    private static final long serialVersionUID = 1;

    BadRequestException(String message) {
        super(message);
    }
}
