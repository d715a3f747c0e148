// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A network by CIDR: an address and how many of its first bits count. Immutable.
 *
 * @param address any address in it
 * @param bits bits that count
 */
public record Network(InetAddress address, int bits) {
    /** Digits, colons and points only, so that nothing is ever looked up by name. */
    private static final Pattern ADDRESS = Pattern.compile("(?:\\d{1,3}\\.){3}\\d{1,3}|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*");

    private static final Pattern BITS = Pattern.compile("\\d{1,3}");

    /** Parses {@code 10.0.0.0/8}, {@code ::1/128}, or an address alone; empty if it is none. */
    public static Optional<Network> parse(String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? text : text.substring(0, slash);
        if (!ADDRESS.matcher(address).matches()) {
            return Optional.empty();
        }
        try {
            InetAddress parsed = InetAddress.getByName(address);
            int most = parsed.getAddress().length * Byte.SIZE;
            String given = slash < 0 ? String.valueOf(most) : text.substring(slash + 1);
            return BITS.matcher(given).matches() && Integer.parseInt(given) <= most
                    ? Optional.of(new Network(parsed, Integer.parseInt(given)))
                    : Optional.empty();
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    /** Whether an address is in it; one of IPv4 is never in one of IPv6. */
    public boolean contains(InetAddress other) {
        byte[] mine = address.getAddress();
        byte[] others = other.getAddress();
        if (mine.length != others.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit++) {
            int mask = 0x80 >> (bit % Byte.SIZE);
            if (((mine[bit / Byte.SIZE] ^ others[bit / Byte.SIZE]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return address.getHostAddress() + "/" + bits;
    }
}
