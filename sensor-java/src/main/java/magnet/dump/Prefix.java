// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * The first bits of an address; IPv4's are those mapped into IPv6's. Immutable.
 *
 * @param high bits 127 to 64
 * @param low bits 63 to 0
 * @param bits how many count, from the first one on; the others are 0
 */
record Prefix(long high, long low, int bits) {
    /** Bits in front of an IPv4 address. */
    static final int MAPPED_BITS = 96;

    static final int ALL_BITS = 128;
    private static final long MAPPED = 0xffffL << 32;

    Prefix {
        high &= mask(bits);
        low &= mask(bits - Long.SIZE);
    }

    static Prefix ofIpv4(int address, int bits) {
        return new Prefix(0, MAPPED | Integer.toUnsignedLong(address), MAPPED_BITS + bits);
    }

    boolean isIpv4() {
        return bits >= MAPPED_BITS && high == 0 && low >>> 32 == 0xffff;
    }

    boolean matches(long addressHigh, long addressLow) {
        return (addressHigh & mask(bits)) == high && (addressLow & mask(bits - Long.SIZE)) == low;
    }

    /** Whether the numbers say more than so many bits. */
    static boolean hasMore(long high, long low, int bits) {
        return (high & ~mask(bits)) != 0 || (low & ~mask(bits - Long.SIZE)) != 0;
    }

    private static long mask(int bits) {
        return bits <= 0 ? 0 : bits >= Long.SIZE ? -1 : ~(-1L >>> bits);
    }

    /** As rules have it. */
    @Override
    public String toString() {
        try {
            byte[] address = isIpv4()
                    ? ByteBuffer.allocate(Integer.BYTES).putInt((int) low).array()
                    : ByteBuffer.allocate(2 * Long.BYTES)
                            .putLong(high)
                            .putLong(low)
                            .array();
            int length = isIpv4() ? bits - MAPPED_BITS : bits;
            String suffix = bits == ALL_BITS ? "" : "/" + length;
            return InetAddress.getByAddress(address).getHostAddress() + suffix;
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address has 4 or 16 bytes", e);
        }
    }
}
