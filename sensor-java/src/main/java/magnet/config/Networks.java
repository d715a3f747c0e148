// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.net.InetAddress;
import java.util.List;
import java.util.function.Predicate;

/**
 * From where somebody may come. Immutable.
 *
 * @param all networks
 */
public record Networks(List<Network> all) implements Predicate<InetAddress> {
    public Networks {
        all = List.copyOf(all);
    }

    /** Whether an address is in one of them. */
    @Override
    public boolean test(InetAddress address) {
        return all.stream().anyMatch(network -> network.contains(address));
    }
}
