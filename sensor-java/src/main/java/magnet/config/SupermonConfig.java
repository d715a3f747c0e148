// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How Supermon's clients are answered. Immutable.
 *
 * @param address where to listen
 * @param allow where connections may come from
 * @param clients most connections at a time
 * @param shape of a sample
 * @param hole socket at which programs hand in values of their own; none if empty
 */
public record SupermonConfig(
        InetSocketAddress address, List<Network> allow, int clients, Shape shape, Optional<Path> hole) {
    /** Shapes that clients are known to expect: of Los Alamos, and of Linux Labs. */
    public enum Shape {
        LANL,
        LINUXLABS
    }

    public SupermonConfig {
        allow = List.copyOf(allow);
    }

    /** Whether connections may come from there. */
    public boolean allows(InetAddress from) {
        return allow.stream().anyMatch(network -> network.contains(from));
    }
}
