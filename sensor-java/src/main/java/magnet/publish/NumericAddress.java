// SPDX-License-Identifier: Apache-2.0
package magnet.publish;

import java.net.InetSocketAddress;

/** Addresses as they stand in configuration and log: {@code 127.0.0.1:9997}, {@code [0:0:0:0:0:0:0:1]:2709}. Stateless. */
public final class NumericAddress {
    private NumericAddress() {}

    /** Number, or the name of one that was not looked up, with its port. */
    public static String text(InetSocketAddress address) {
        String host = address.isUnresolved()
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }
}
