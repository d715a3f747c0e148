// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.nio.ByteBuffer;
import magnet.record.WordKind;
import magnet.record.Words;
import magnet.trace.PacketHeaders;

/**
 * What a packet is, in the manner of tcpdump: {@code IP 10.0.0.1.5000 > 10.0.0.2.53: UDP, length 29}. The length is that of
 * the data behind the headers. What was not captured is left out. For one thread.
 */
final class PacketText {
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int ICMP = 1;
    private static final int ICMP6 = 58;
    private static final int IPV6_HEADER = 40;
    private static final int UDP_HEADER = 8;
    private static final int ARP_SIZE = 28;
    private static final String FLAGS = "FSRP.UEW";
    private static final int GROUPS = 8;

    private final PacketHeaders headers = new PacketHeaders();
    private final Words words;
    private final boolean quiet;
    private final boolean verbose;

    /** @param words for protocols */
    PacketText(Words words) {
        this(words, false, false);
    }

    /**
     * @param words for protocols
     * @param quiet whether only the kind of a packet is said
     * @param verbose whether IP's header is said
     */
    PacketText(Words words, boolean quiet, boolean verbose) {
        this.words = words;
        this.quiet = quiet;
        this.verbose = verbose;
    }

    /** What is known of the link: its header is in no record. */
    void appendLink(CapturedPacket packet, StringBuilder text) {
        text.append("ethertype ").append(named(WordKind.ETHERTYPE, packet.ethertype(), "0x%04x"));
        text.append(", length ").append(packet.originalLength()).append(": ");
    }

    /** The word and the number, or the number where there is no word. */
    private String named(WordKind kind, int number, String format) {
        String word = words.of(kind, number);
        String digits = format.formatted(number);
        return word == null ? digits : word + " (" + digits + ")";
    }

    void append(CapturedPacket packet, StringBuilder text) {
        ByteBuffer bytes = packet.bytes();
        int start = CapturedPacket.start();
        int end = packet.end();
        switch (packet.ethertype()) {
            case Ethertype.IPV4, Ethertype.IPV6 -> appendIp(packet, bytes, start, end, text);
            case Ethertype.ARP -> appendArp(packet, bytes, start, end, text);
            default -> {
                String word = words.of(WordKind.ETHERTYPE, packet.ethertype());
                text.append(word == null ? "ethertype 0x%04x".formatted(packet.ethertype()) : word);
                text.append(", length ").append(packet.originalLength());
            }
        }
    }

    private void appendIp(CapturedPacket packet, ByteBuffer bytes, int start, int end, StringBuilder text) {
        boolean ipv4 = packet.ethertype() == Ethertype.IPV4;
        text.append(ipv4 ? "IP " : "IP6 ");
        headers.read(bytes, start, end);
        if (headers.sourceLow() == 0 && headers.protocol() == 0 && end - start < (ipv4 ? 20 : IPV6_HEADER)) {
            text.append("cut off, length ").append(packet.originalLength());
            return;
        }
        if (verbose) {
            appendHeader(ipv4, bytes, start, text);
        }
        boolean ports = headers.sourcePort() != 0 || headers.destinationPort() != 0;
        appendAddress(ipv4, headers.sourceHigh(), headers.sourceLow(), text);
        text.append(ports ? "." + headers.sourcePort() : "").append(" > ");
        appendAddress(ipv4, headers.destinationHigh(), headers.destinationLow(), text);
        text.append(ports ? "." + headers.destinationPort() : "").append(": ");
        int header = ipv4 ? (bytes.get(start) & 0xf) * Integer.BYTES : IPV6_HEADER;
        long data = (ipv4 ? big16(bytes, start + 2) : (long) IPV6_HEADER + big16(bytes, start + 4)) - header;
        if (data <= 0) {
            // What is not cut into segments yet may be longer than IP's header can say.
            data = packet.originalLength() - header;
        }
        boolean extended = !ipv4 && (bytes.get(start + 6) & 0xff) != headers.protocol();
        appendTransport(bytes, extended ? end : start + header, end, data, text);
    }

    /** The fields of IP's header, in tcpdump's order. */
    private void appendHeader(boolean ipv4, ByteBuffer bytes, int at, StringBuilder text) {
        if (ipv4) {
            int fragment = big16(bytes, at + 6);
            String flags = ((fragment & 0x4000) != 0 ? "DF" : "") + ((fragment & 0x2000) != 0 ? "+" : "");
            text.append("(tos 0x%x, ttl %d, id %d, offset %d, flags [%s], proto %s, length %d) "
                    .formatted(
                            bytes.get(at + 1) & 0xff,
                            bytes.get(at + 8) & 0xff,
                            big16(bytes, at + 4),
                            (fragment & 0x1fff) * Long.BYTES,
                            flags.isEmpty() ? "none" : flags,
                            named(WordKind.PROTOCOL, bytes.get(at + 9) & 0xff, "%d"),
                            big16(bytes, at + 2)));
        } else {
            text.append("(class 0x%02x, flowlabel 0x%05x, hlim %d, next-header %s, payload length %d) "
                    .formatted(
                            (big16(bytes, at) >>> 4) & 0xff,
                            (big16(bytes, at) & 0xf) << Short.SIZE | big16(bytes, at + 2),
                            bytes.get(at + 7) & 0xff,
                            named(WordKind.PROTOCOL, bytes.get(at + 6) & 0xff, "%d"),
                            big16(bytes, at + 4)));
        }
    }

    private void appendTransport(ByteBuffer bytes, int at, int end, long data, StringBuilder text) {
        boolean further = headers.isFurtherFragment();
        switch (headers.protocol()) {
            case TCP -> {
                if (quiet && !further && end - at >= 14) {
                    text.append("tcp ").append(data - ((bytes.get(at + 12) >>> 4) & 0xfL) * Integer.BYTES);
                } else if (!further && end - at >= 14) {
                    text.append("Flags [")
                            .append(flags(bytes.get(at + 13) & 0xff))
                            .append("], length ");
                    text.append(data - ((bytes.get(at + 12) >>> 4) & 0xfL) * Integer.BYTES);
                } else {
                    text.append("tcp, length ").append(data);
                }
            }
            case UDP -> text.append("UDP, length ").append(further || end - at < UDP_HEADER ? data : data - UDP_HEADER);
            case ICMP, ICMP6 -> appendIcmp(bytes, at, end, data, text);
            default -> {
                String word = words.of(WordKind.PROTOCOL, headers.protocol());
                text.append(word == null ? "protocol " + headers.protocol() : word);
                text.append(", length ").append(data);
            }
        }
        text.append(further ? ", further fragment" : "");
    }

    private void appendIcmp(ByteBuffer bytes, int at, int end, long data, StringBuilder text) {
        boolean ipv4 = headers.protocol() == ICMP;
        text.append(ipv4 ? "ICMP " : "ICMP6, ");
        if (!quiet && end - at >= 8 && !headers.isFurtherFragment()) {
            int type = bytes.get(at) & 0xff;
            boolean request = type == (ipv4 ? 8 : 128);
            if (request || type == (ipv4 ? 0 : 129)) {
                text.append(request ? "echo request, id " : "echo reply, id ").append(big16(bytes, at + 4));
                text.append(", seq ").append(big16(bytes, at + 6)).append(", ");
            } else {
                text.append("type ")
                        .append(type)
                        .append(" code ")
                        .append(bytes.get(at + 1) & 0xff)
                        .append(", ");
            }
        }
        text.append("length ").append(data);
    }

    private static void appendArp(CapturedPacket packet, ByteBuffer bytes, int start, int end, StringBuilder text) {
        text.append("ARP, ");
        if (end - start >= ARP_SIZE) {
            boolean request = big16(bytes, start + 6) == 1;
            text.append(request ? "Request who-has " : "Reply ");
            appendIpv4(bytes, start + (request ? 24 : 14), text);
            if (request) {
                appendIpv4(bytes, start + 14, text.append(" tell "));
            } else {
                text.append(" is-at ");
                for (int i = 0; i < 6; i++) {
                    text.append(i == 0 ? "" : ":").append("%02x".formatted(bytes.get(start + 8 + i)));
                }
            }
            text.append(", ");
        }
        text.append("length ").append(packet.originalLength());
    }

    private static void appendIpv4(ByteBuffer bytes, int at, StringBuilder text) {
        for (int i = 0; i < Integer.BYTES; i++) {
            text.append(i == 0 ? "" : ".").append(bytes.get(at + i) & 0xff);
        }
    }

    private static void appendAddress(boolean ipv4, long high, long low, StringBuilder text) {
        if (ipv4) {
            for (int shift = 24; shift >= 0; shift -= Byte.SIZE) {
                text.append((low >>> shift) & 0xff).append(shift == 0 ? "" : ".");
            }
        } else {
            appendIpv6(high, low, text);
        }
    }

    /** As RFC 5952 wants it: the first of the longest runs of two zeros or more is left out. */
    private static void appendIpv6(long high, long low, StringBuilder text) {
        int longest = 0;
        int from = GROUPS;
        int run = 0;
        for (int i = 0; i < GROUPS; i++) {
            run = group(high, low, i) == 0 ? run + 1 : 0;
            if (run > longest && run > 1) {
                longest = run;
                from = i - run + 1;
            }
        }
        for (int i = 0; i < GROUPS; i++) {
            if (i == from) {
                text.append("::");
                i += longest - 1;
            } else {
                text.append(i == 0 || i == from + longest ? "" : ":").append(Long.toHexString(group(high, low, i)));
            }
        }
    }

    private static long group(long high, long low, int index) {
        return (index < 4 ? high >>> ((3 - index) * Short.SIZE) : low >>> ((7 - index) * Short.SIZE)) & 0xffff;
    }

    private static String flags(int bits) {
        StringBuilder flags = new StringBuilder();
        for (int i = 0; i < FLAGS.length(); i++) {
            if ((bits & (1 << i)) != 0) {
                flags.append(FLAGS.charAt(i));
            }
        }
        return flags.isEmpty() ? "none" : flags.toString();
    }

    private static int big16(ByteBuffer bytes, int at) {
        return ((bytes.get(at) & 0xff) << Byte.SIZE) | (bytes.get(at + 1) & 0xff);
    }
}
