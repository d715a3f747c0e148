// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How MUSE's clients are answered. Immutable.
 *
 * @param socket file of a socket to listen at, for the service's group; none if empty
 * @param address where to listen besides, for all users of the node; nowhere if empty
 * @param clients most connections at a time
 * @param layout how clients' structs are laid out
 */
public record MuseSettings(
        Optional<Path> socket, Optional<InetSocketAddress> address, int clients, StructLayout layout) {}
