// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Addresses that only this machine can reach, with a port: {@code 127.0.0.1:9464}, {@code [::1]:9464}. Names are none,
 * {@code localhost} included: what they mean somebody else decides. Stateless.
 */
final class LoopbackAddress {
    private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
    private static final Pattern TEXT = Pattern.compile("(?:127(?:\\." + OCTET + "){3}|\\[::1]):\\d{1,5}");
    /** Never taken: the text has a port. */
    private static final int NO_PORT = 0;

    private LoopbackAddress() {}

    /** The address; empty if the text is none, or one that others can reach. */
    static Optional<InetSocketAddress> parse(String text) {
        return TEXT.matcher(text).matches() ? ListenAddress.parse(text, NO_PORT) : Optional.empty();
    }
}
