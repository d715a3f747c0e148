// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * How Supermon's clients are answered. Immutable.
 *
 * @param address where to listen
 * @param allow where connections may come from
 * @param clients most connections at a time
 * @param shape of a sample
 */
public record SupermonConfig(InetSocketAddress address, List<Network> allow, int clients, Shape shape) {
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
