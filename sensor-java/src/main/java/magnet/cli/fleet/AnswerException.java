// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.io.IOException;

/** What was answered is nothing that gmetad writes; the message is a line that says why, and begins with "the answer". */
final class AnswerException extends IOException {
    private static final long serialVersionUID = 1;

    AnswerException(String message) {
        super(message);
    }
}
