// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.nio.ByteBuffer;
import magnet.trace.PacketHeaders;
import org.jspecify.annotations.Nullable;

/**
 * What both ends see of a packet alike, in 64 bits: protocol, addresses, IPv4's identification, and of
 *
 * <ul>
 *   <li>TCP its first 14 bytes: ports, sequence number, acknowledgement, flags. PSH and FIN are left out, because merging
 *       segments (GRO) gives the first one those of the last;
 *   <li>UDP its ports, and the data up to byte {@value #BYTES} of the packet: where the identification is 0, or there is none,
 *       they alone tell datagrams apart. Its checksum is left out, because a card that computes it does so after the sender's
 *       record, and its length, because segments may be merged;
 *   <li>ICMP its first 8 bytes, and the data as above.
 * </ul>
 *
 * <p>Hop limits and IP's checksum change on the way and are left out. Two of n packets have the same key by chance with a
 * probability of about n²/2^65: 3·10⁻⁸ for a million. Allocates nothing per packet. For one thread.
 */
public final class PacketKey {
    /** From the network header on so many bytes have to be recorded, if the packet has them. */
    static final int BYTES = 60;

    private static final int ICMP = 1;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int ICMP6 = 58;
    private static final int UDP_LITE = 136;

    private static final int IPV4_ID = 4;
    private static final int TCP_BYTES = 14;
    private static final int TCP_ENDS = 13;
    private static final int TCP_FIN_AND_PSH = 0x09;
    private static final int UDP_HEADER = 8;

    private static final long MAPPED = 0xffffL << 32;
    private static final long LOOPBACK_NET = 127;
    private static final long SEED = 0x9e3779b97f4a7c15L;

    private final PacketHeaders headers = new PacketHeaders();
    private long hash;

    /** Of the packet that was read last, if it has one. */
    public long value() {
        return hash;
    }

    /** Its headers, for who describes it. */
    PacketHeaders headers() {
        return headers;
    }

    /**
     * Reads a packet.
     *
     * @param from index of the network header
     * @param captured bytes of it that are there
     * @param length bytes that it has by its record; the receiver may see padding behind it
     * @return why it has no key; null if it has one
     */
    @Nullable
    LeftOut read(ByteBuffer bytes, int from, int captured, long length) {
        int version = captured == 0 ? 0 : (bytes.get(from) & 0xff) >>> 4;
        if (version != 4 && version != 6) {
            return captured == 0 && length > 0 ? LeftOut.SHORT : LeftOut.OTHER_PROTOCOL;
        }
        if (!headers.read(bytes, from, from + captured)) {
            return LeftOut.SHORT;
        }
        if (headers.isFurtherFragment()) {
            return LeftOut.FRAGMENT;
        }
        if (isLoopback(headers.sourceHigh(), headers.sourceLow())
                || isLoopback(headers.destinationHigh(), headers.destinationLow())) {
            return LeftOut.LOOPBACK;
        }
        hash = SEED;
        mix(headers.protocol());
        mix(headers.sourceHigh());
        mix(headers.sourceLow());
        mix(headers.destinationHigh());
        mix(headers.destinationLow());
        mix(version == 4 ? bytes.getShort(from + IPV4_ID) : 0);
        int end = from + Math.min(captured, BYTES);
        int least = (int) Math.min(BYTES, Math.min(length, saidLength(bytes, from, version)));
        return mixTransport(bytes, headers.transportOffset(), end, from + least);
    }

    /** The same, for whoever does not ask why: whether the packet has a key. */
    public boolean isIn(ByteBuffer bytes, int from, int captured, long length) {
        return read(bytes, from, captured, length) == null;
    }

    /** Takes what is behind IP's headers. */
    private @Nullable LeftOut mixTransport(ByteBuffer bytes, int at, int end, int wanted) {
        switch (headers.protocol()) {
            case TCP -> {
                if (end - at < TCP_BYTES) {
                    return LeftOut.SHORT;
                }
                mix(bytes.getLong(at));
                mix(bytes.getInt(at + 8));
                mix(bytes.get(at + 12) << Byte.SIZE | (bytes.get(at + TCP_ENDS) & ~TCP_FIN_AND_PSH & 0xff));
                return null;
            }
            case UDP, UDP_LITE, ICMP, ICMP6 -> {
                if (end < wanted || wanted - at < UDP_HEADER) {
                    return LeftOut.SHORT;
                }
                boolean hasPorts = headers.protocol() == UDP || headers.protocol() == UDP_LITE;
                mix(hasPorts ? bytes.getInt(at) : bytes.getLong(at));
                mixBytes(bytes, at + UDP_HEADER, wanted);
                return null;
            }
            default -> {
                return LeftOut.OTHER_PROTOCOL;
            }
        }
    }

    private void mixBytes(ByteBuffer bytes, int from, int to) {
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            mix(bytes.getLong(at));
        }
        long rest = (long) to - from;
        for (; at < to; at++) {
            rest = rest << Byte.SIZE | (bytes.get(at) & 0xff);
        }
        mix(rest);
    }

    /** The length in IP's header; a packet that is larger than the field says none there. */
    private static long saidLength(ByteBuffer bytes, int from, int version) {
        int said = version == 4 ? big16(bytes, from + 2) : big16(bytes, from + 4);
        if (said == 0) {
            return Long.MAX_VALUE;
        }
        return version == 4 ? said : said + 40L;
    }

    private static int big16(ByteBuffer bytes, int at) {
        return (bytes.get(at) & 0xff) << Byte.SIZE | (bytes.get(at + 1) & 0xff);
    }

    private static boolean isLoopback(long high, long low) {
        return high == 0 && (low == 1 || ((low & -1L << 32) == MAPPED && (low >>> 24 & 0xff) == LOOPBACK_NET));
    }

    /** The finaliser of SplitMix64, Stafford's variant 13: each input bit changes each output bit half of the time. */
    private void mix(long word) {
        long z = hash ^ word;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        hash = (z ^ z >>> 31) + SEED;
    }
}
