// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How MUSE's clients are answered; at a socket, an address, or both. Immutable.
 *
 * @param socket file of the socket to listen at
 * @param address where to listen besides, of the loopback interface
 * @param clients most connections at a time
 * @param layout how clients' compilers lay out structs
 */
public record MuseConfig(Optional<Path> socket, Optional<InetSocketAddress> address, int clients, Layout layout) {
    /** Machines that clients were compiled for. */
    public enum Layout {
        I386,
        X86_64
    }
}
