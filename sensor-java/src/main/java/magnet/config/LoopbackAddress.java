// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Addresses that only this machine can reach, with a port: {@code 127.0.0.1:9464}, {@code [::1]:9464}. Names are none,
 * {@code localhost} included: what they mean somebody else decides. Stateless.
 */
final class LoopbackAddress {
    private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
    private static final Pattern TEXT = Pattern.compile("(127(?:\\." + OCTET + "){3}|\\[::1]):(\\d{1,5})");
    private static final int LAST_PORT = 65_535;

    private LoopbackAddress() {}

    /** The address; empty if the text is none, or one that others can reach. */
    static Optional<InetSocketAddress> parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        int port = Integer.parseInt(matcher.group(2));
        return port < 1 || port > LAST_PORT
                ? Optional.empty()
                : Optional.of(new InetSocketAddress(literal(matcher.group(1)), port));
    }

    /** Nothing is looked up: it is an address, not a name. */
    private static InetAddress literal(String address) {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
