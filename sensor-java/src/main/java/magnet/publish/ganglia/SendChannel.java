// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A udp_send_channel of gmond.conf. Immutable.
 *
 * @param host name or address that packets go to: mcast_join if given, else host
 * @param port UDP port
 * @param multicast whether it was given as mcast_join
 * @param multicastInterface mcast_if: device that multicast goes out on; the routing table decides if empty
 * @param ttl hops that multicast may go; unicast keeps the system's
 * @param bind local address to send from
 * @param bindHostname whether to send from the address of the machine's own name instead
 */
public record SendChannel(
        String host,
        int port,
        boolean multicast,
        Optional<String> multicastInterface,
        int ttl,
        Optional<String> bind,
        boolean bindHostname) {
    private static final Pattern DIGITS_AND_DOTS = Pattern.compile("[0-9.]+");

    /** Whether a name has to be looked up before anything can be sent, which may take as long as a name server does. */
    boolean hasNames() {
        return bindHostname || isName(host) || bind.filter(SendChannel::isName).isPresent();
    }

    private static boolean isName(String host) {
        return host.indexOf(':') < 0 && !DIGITS_AND_DOTS.matcher(host).matches();
    }

    /** For log lines: {@code 239.2.11.71:8649 multicast}. */
    @Override
    public String toString() {
        String address = host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
        return address
                + (multicast ? " multicast" : "")
                + multicastInterface.map(name -> " on " + name).orElse("");
    }
}
