// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.nio.ByteBuffer;
import magnet.trace.PacketHeaders;

/** What an expression asks of a packet. It is used again for another one. For one thread. */
final class PacketFacts {
    /** The ethertypes of IPv4 and IPv6. */
    static final Ranges IP = Ranges.ofEach(0xffff, Ethertype.IPV4, Ethertype.IPV6);

    private static final int ARP_SOURCE = 14;
    private static final int ARP_TARGET = 24;
    private static final int ARP_SIZE = 28;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final PacketHeaders headers = new PacketHeaders();
    private ByteBuffer bytes = NOTHING;
    private int from;
    private int to;
    private int ethertype;
    private int cpu;
    private int process;
    private int thread;
    private boolean sent;

    /** Who saw it where. */
    PacketFacts event(boolean isSent, int onCpu, int inProcess, int inThread) {
        sent = isSent;
        cpu = onCpu;
        process = inProcess;
        thread = inThread;
        return this;
    }

    /**
     * The packet.
     *
     * @param start index of the network header
     * @param end index after the last byte that was captured
     * @return whether enough was captured to tell what an expression may ask
     */
    boolean read(int type, ByteBuffer buffer, int start, int end) {
        ethertype = type;
        bytes = buffer;
        from = start;
        to = end;
        boolean read = headers.read(buffer, start, end);
        return read || !isIp();
    }

    PacketHeaders headers() {
        return headers;
    }

    int ethertype() {
        return ethertype;
    }

    boolean isIp() {
        return ethertype == Ethertype.IPV4 || ethertype == Ethertype.IPV6;
    }

    /** Those that are not of IP's headers. */
    long number(PacketField field) {
        return switch (field) {
            case ETHERTYPE -> ethertype;
            case CPU -> cpu;
            case PROCESS -> Integer.toUnsignedLong(process);
            case THREAD -> Integer.toUnsignedLong(thread);
            case SENT -> sent ? 1 : 0;
            default -> throw new IllegalArgumentException("a header has it: " + field);
        };
    }

    boolean hasArpAddresses() {
        return to - from >= ARP_SIZE;
    }

    /** The IPv4 address of who asks or answers. */
    long arpSource() {
        return big32(from + ARP_SOURCE);
    }

    /** The IPv4 address that is asked for or answered to. */
    long arpTarget() {
        return big32(from + ARP_TARGET);
    }

    private long big32(int at) {
        long value = 0;
        for (int i = at; i < at + Integer.BYTES; i++) {
            value = (value << Byte.SIZE) | (bytes.get(i) & 0xff);
        }
        return value;
    }
}
