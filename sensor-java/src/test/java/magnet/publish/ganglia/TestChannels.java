// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.util.Optional;

/** Send channels as gmond.conf would give them. */
final class TestChannels {
    private TestChannels() {}

    static SendChannel unicast(String host, int port) {
        return new SendChannel(host, port, false, Optional.empty(), 1, Optional.empty(), false);
    }

    static SendChannel multicast(String group, int port, String device, int ttl) {
        return new SendChannel(group, port, true, Optional.of(device), ttl, Optional.empty(), false);
    }
}
