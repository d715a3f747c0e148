// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * How Supermon's clients are answered. Immutable.
 *
 * @param address where to listen
 * @param allow where connections may come from
 * @param clients most connections at a time
 * @param format shape of a sample
 */
public record SupermonSettings(InetSocketAddress address, List<Network> allow, int clients, ReplyFormat format) {
    public SupermonSettings {
        allow = List.copyOf(allow);
    }
}
