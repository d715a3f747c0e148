// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;

/** Opens control sockets. */
@FunctionalInterface
public interface ControlSource {
    /** Opens one; it is the caller's to close. */
    MagnetControl open() throws IOException;

    /** Also where the module speaks another ABI than this program: to end its readers. */
    default MagnetControl openOfAnyAbi() throws IOException {
        return open();
    }
}
