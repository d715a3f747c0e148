// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.nio.ByteBuffer;

/**
 * What rules can ask of a packet: the headers in the bytes that a record carries, from the network header on. As in the
 * kernel, all is 0 where it is neither IPv4 nor IPv6; ports are 0 without TCP, UDP, UDP-Lite, SCTP or DCCP, and in
 * further fragments. IPv4 addresses are those mapped into IPv6's. Allocates nothing. Not thread-safe.
 */
public final class PacketHeaders {
    private static final int IPV4_SIZE = 20;
    private static final int IPV6_SIZE = 40;
    private static final int IPV4_OFFSET_MASK = 0x1fff;
    private static final int IPV6_OFFSET_MASK = 0xfff8;
    private static final long MAPPED = 0xffffL << 32;
    private static final int HOP_BY_HOP = 0;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int DCCP = 33;
    private static final int ROUTING = 43;
    private static final int FRAGMENT = 44;
    private static final int AUTHENTICATION = 51;
    private static final int NO_NEXT = 59;
    private static final int DESTINATION = 60;
    private static final int SCTP = 132;
    private static final int UDP_LITE = 136;

    private int protocol;
    private int sourcePort;
    private int destinationPort;
    private long sourceHigh;
    private long sourceLow;
    private long destinationHigh;
    private long destinationLow;
    private boolean furtherFragment;
    private int transportOffset;

    /** Nothing read yet. */
    public PacketHeaders() {
        // All is 0.
    }

    /** The protocol behind IP's headers; 0 if it is not IP. */
    public int protocol() {
        return protocol;
    }

    /** 0 without ports. */
    public int sourcePort() {
        return sourcePort;
    }

    /** 0 without ports. */
    public int destinationPort() {
        return destinationPort;
    }

    /** Bits 127 to 64 of the address. */
    public long sourceHigh() {
        return sourceHigh;
    }

    /** Bits 63 to 0 of the address. */
    public long sourceLow() {
        return sourceLow;
    }

    /** Bits 127 to 64 of the address. */
    public long destinationHigh() {
        return destinationHigh;
    }

    /** Bits 63 to 0 of the address. */
    public long destinationLow() {
        return destinationLow;
    }

    /** Index of what is behind IP's headers; it need not have been captured. 0 if it is not IP, and in further fragments. */
    public int transportOffset() {
        return transportOffset;
    }

    /** Whether it is a fragment that begins behind the ports. */
    public boolean isFurtherFragment() {
        return furtherFragment;
    }

    /**
     * Reads the headers.
     *
     * @param from index of the network header
     * @param to index after the last byte that was captured
     * @return whether enough was captured to tell what a rule may ask; if not, all is 0
     */
    public boolean read(ByteBuffer bytes, int from, int to) {
        protocol = 0;
        sourcePort = 0;
        destinationPort = 0;
        sourceHigh = 0;
        sourceLow = 0;
        destinationHigh = 0;
        destinationLow = 0;
        furtherFragment = false;
        transportOffset = 0;
        if (to <= from) {
            return false;
        }
        return switch ((bytes.get(from) & 0xff) >>> 4) {
            case 4 -> to - from >= IPV4_SIZE && ipv4(bytes, from, to);
            case 6 -> to - from >= IPV6_SIZE && ipv6(bytes, from, to);
            default -> true;
        };
    }

    private boolean ipv4(ByteBuffer bytes, int from, int to) {
        protocol = bytes.get(from + 9) & 0xff;
        sourceLow = MAPPED | big32(bytes, from + 12);
        destinationLow = MAPPED | big32(bytes, from + 16);
        if ((big16(bytes, from + 6) & IPV4_OFFSET_MASK) != 0) {
            furtherFragment = true;
            return true;
        }
        return ports(bytes, from + (bytes.get(from) & 0xf) * 4, to);
    }

    private boolean ipv6(ByteBuffer bytes, int from, int to) {
        sourceHigh = big64(bytes, from + 8);
        sourceLow = big64(bytes, from + 16);
        destinationHigh = big64(bytes, from + 24);
        destinationLow = big64(bytes, from + 32);
        int next = bytes.get(from + 6) & 0xff;
        int at = from + IPV6_SIZE;
        while (isExtension(next)) {
            if (next == NO_NEXT) {
                break;
            }
            if (to - at < Long.BYTES) {
                return false;
            }
            int following = bytes.get(at) & 0xff;
            if (next == FRAGMENT) {
                if ((big16(bytes, at + 2) & IPV6_OFFSET_MASK) != 0) {
                    protocol = following;
                    furtherFragment = true;
                    return true;
                }
                at += Long.BYTES;
            } else {
                int length = bytes.get(at + 1) & 0xff;
                at += next == AUTHENTICATION ? (length + 2) * 4 : (length + 1) * 8;
            }
            next = following;
        }
        protocol = next;
        return ports(bytes, at, to);
    }

    private static boolean isExtension(int header) {
        return switch (header) {
            case HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, NO_NEXT, DESTINATION -> true;
            default -> false;
        };
    }

    private boolean ports(ByteBuffer bytes, int at, int to) {
        transportOffset = at;
        switch (protocol) {
            case TCP, UDP, UDP_LITE, SCTP, DCCP -> {
                if (to - at < Integer.BYTES) {
                    return false;
                }
                sourcePort = big16(bytes, at);
                destinationPort = big16(bytes, at + 2);
            }
            default -> {
                // It has no ports.
            }
        }
        return true;
    }

    /** Packets are big endian, records are not. */
    private static int big16(ByteBuffer bytes, int at) {
        return (bytes.get(at) & 0xff) << 8 | (bytes.get(at + 1) & 0xff);
    }

    private static long big32(ByteBuffer bytes, int at) {
        return (long) big16(bytes, at) << 16 | big16(bytes, at + 2);
    }

    private static long big64(ByteBuffer bytes, int at) {
        return big32(bytes, at) << 32 | big32(bytes, at + 4);
    }
}
