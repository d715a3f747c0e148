// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Addresses to listen at, with a port or without: {@code 127.0.0.1}, {@code 10.0.4.1:2709}, {@code [::]:2709}. Names are
 * none: what they mean somebody else decides. Stateless.
 */
public final class ListenAddress {
    /** Registered to Supermon. */
    public static final int SUPERMON_PORT = 2_709;

    private static final Pattern TEXT = Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([0-9.]+))(?::(\\d{1,5}))?");
    private static final int LAST_PORT = 65_535;

    private ListenAddress() {}

    /** The address; empty if the text is none. */
    public static Optional<InetSocketAddress> parse(String text, int defaultPort) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
        int port = matcher.group(3) == null ? defaultPort : Integer.parseInt(matcher.group(3));
        return port < 1 || port > LAST_PORT
                ? Optional.empty()
                : Network.parse(host).map(network -> new InetSocketAddress(network.address(), port));
    }
}
