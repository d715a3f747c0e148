// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes a pcapng file of one section, in the machine's byte order: a Section Header Block, an Interface Description Block
 * before the first packet of each interface, Enhanced Packet Blocks, and Interface Statistics Blocks at the end. Block types,
 * option codes and layouts are those of draft-ietf-opsawg-pcapng, sections 3.5, 4.1, 4.2, 4.3 and 4.6.
 *
 * <pre>
 *  +------------+--------------+----------------+-------------+--------------+
 *  | block type | total length | body           | options     | total length |
 *  | u32        | u32          | multiple of 4  | see below   | u32          |
 *  +------------+--------------+----------------+-------------+--------------+
 *   option: code u16, length u16, value, zeros up to a multiple of 4; the last is opt_endofopt, 0 and 0
 * </pre>
 *
 * <p>Blocks are collected and written many at a time; only whole blocks are. When writing to a file fails, the file is cut
 * off behind its last whole block, so that it stays readable. Not thread-safe.
 */
public final class PcapngWriter {
    /** LINKTYPE_LINUX_SLL2, as tcpdump.org/linktypes has it: {@link CookedHeader}. */
    public static final int LINUX_SLL2 = 276;

    private static final int SECTION_HEADER = 0x0a0d0d0a;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int INTERFACE_STATISTICS = 5;
    private static final int ENHANCED_PACKET = 6;
    private static final int BYTE_ORDER_MAGIC = 0x1a2b3c4d;
    private static final long LENGTH_NOT_SAID = -1;

    private static final int END_OF_OPTIONS = 0;
    private static final int COMMENT = 1;
    private static final int SHB_HARDWARE = 2;
    private static final int SHB_OS = 3;
    private static final int SHB_USERAPPL = 4;
    private static final int IF_NAME = 2;
    private static final int IF_TSRESOL = 9;
    private static final int IF_FILTER = 11;
    private static final int EPB_FLAGS = 2;
    private static final int EPB_PACKETID = 5;
    private static final int ISB_STARTTIME = 2;
    private static final int ISB_ENDTIME = 3;
    private static final int ISB_OSDROP = 7;
    private static final int ISB_USRDELIV = 8;

    /** Bits 0 and 1 of epb_flags. */
    private static final int INBOUND = 1;

    private static final int OUTBOUND = 2;
    /** Of a second: 10 to the minus 9. */
    private static final byte NANOSECONDS = 9;
    /** The first byte of if_filter: a text in libpcap's language. */
    private static final byte FILTER_STRING = 0;

    private static final int TEXT_MAX = 0xffff;
    private static final int BLOCK_OVERHEAD = 12;
    private static final int PACKET_FIXED = 20;
    /** More than a block of any packet with its options: the packet's bytes, its comment and 64 for the rest. */
    private static final int BUFFER_BYTES = 512 * 1024;

    private final WritableByteChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.nativeOrder());
    private int blockStart;
    private int interfaces;
    private long packets;
    private long packetsWritten;
    private long bytesWritten;

    /** @param channel gets the file; it is not closed here */
    public PcapngWriter(WritableByteChannel channel) {
        this.channel = channel;
    }

    /** What {@link #addInterface} writes down; {@code filter} may be empty. */
    public record Interface(String name, int linkType, int snapLength, String filter) {}

    /**
     * What stands beside the bytes of a packet.
     *
     * @param interfaceId what {@link #addInterface} gave
     * @param timeNs since 1970
     * @param originalLength bytes that it had
     * @param outbound whether it was sent, and not received
     * @param id equal for all blocks of the same packet
     */
    public record Packet(int interfaceId, long timeNs, long originalLength, boolean outbound, long id) {}

    /**
     * What was counted at an interface.
     *
     * @param startNs when the capture began, since 1970
     * @param endNs when it ended
     * @param delivered packets in the file
     * @param dropped packets that were lost; negative if that is not known for this interface
     * @param comment may be empty
     */
    public record Statistics(long startNs, long endNs, long delivered, long dropped, String comment) {}

    /** The section's header, which comes first; a text that is empty is left out. */
    public void section(String hardware, String os, String application) throws IOException {
        begin(SECTION_HEADER, BLOCK_OVERHEAD + 2 * TEXT_MAX);
        buffer.putInt(BYTE_ORDER_MAGIC).putShort((short) 1).putShort((short) 0).putLong(LENGTH_NOT_SAID);
        text(SHB_HARDWARE, hardware);
        text(SHB_OS, os);
        text(SHB_USERAPPL, application);
        end();
    }

    /** Describes another interface. Returns its number in this section. */
    public int addInterface(Interface what) throws IOException {
        begin(INTERFACE_DESCRIPTION, 2 * TEXT_MAX);
        buffer.putShort((short) what.linkType()).putShort((short) 0).putInt(what.snapLength());
        text(IF_NAME, what.name());
        option(IF_TSRESOL, 1);
        buffer.put(NANOSECONDS);
        pad(1);
        if (!what.filter().isEmpty()) {
            byte[] filter = bytes(what.filter(), TEXT_MAX - 1);
            option(IF_FILTER, 1 + filter.length);
            buffer.put(FILTER_STRING).put(filter);
            pad(1 + filter.length);
        }
        end();
        return interfaces++;
    }

    /**
     * A packet.
     *
     * @param bytes what was captured of it, from position to limit, at most 64 KiB; its position moves to the limit
     * @param comment ASCII; empty for none
     */
    public void packet(Packet packet, ByteBuffer bytes, CharSequence comment) throws IOException {
        int captured = bytes.remaining();
        begin(ENHANCED_PACKET, PACKET_FIXED + captured + comment.length());
        buffer.putInt(packet.interfaceId());
        time(packet.timeNs());
        buffer.putInt(captured).putInt((int) packet.originalLength());
        buffer.put(bytes);
        pad(captured);
        text(COMMENT, comment.toString(), TEXT_MAX);
        option(EPB_FLAGS, Integer.BYTES);
        buffer.putInt(packet.outbound() ? OUTBOUND : INBOUND);
        option(EPB_PACKETID, Long.BYTES);
        buffer.putLong(packet.id());
        end();
        packets++;
    }

    /** Counts of an interface, at the end. */
    public void statistics(int interfaceId, Statistics counts) throws IOException {
        begin(INTERFACE_STATISTICS, TEXT_MAX);
        buffer.putInt(interfaceId);
        time(counts.endNs());
        text(COMMENT, counts.comment());
        option(ISB_STARTTIME, Long.BYTES);
        time(counts.startNs());
        option(ISB_ENDTIME, Long.BYTES);
        time(counts.endNs());
        if (counts.dropped() >= 0) {
            option(ISB_OSDROP, Long.BYTES);
            buffer.putLong(counts.dropped());
        }
        option(ISB_USRDELIV, Long.BYTES);
        buffer.putLong(counts.delivered());
        end();
    }

    /** Writes out what is still in memory. */
    public void flush() throws IOException {
        buffer.flip();
        try {
            while (buffer.hasRemaining()) {
                bytesWritten += channel.write(buffer);
            }
            packetsWritten = packets;
        } catch (IOException e) {
            cutOff();
            throw e;
        } finally {
            buffer.clear();
        }
    }

    /** Packets so far. */
    public long packets() {
        return packets;
    }

    /** Packets of which it is known that they came out whole. */
    public long packetsWritten() {
        return packetsWritten;
    }

    /** Only a file can be cut off; what went through a pipe is gone. */
    private void cutOff() {
        int written = buffer.position();
        int whole = 0;
        while (whole + 2 * Integer.BYTES <= written) {
            int length = buffer.getInt(whole + Integer.BYTES);
            if (whole + length > written) {
                break;
            }
            packetsWritten += buffer.getInt(whole) == ENHANCED_PACKET ? 1 : 0;
            whole += length;
        }
        if (channel instanceof FileChannel file) {
            try {
                file.truncate(bytesWritten - (written - whole));
            } catch (IOException e) {
                // A pipe or a device by its name: nothing of it can be taken back.
            }
        }
    }

    /** @param most bytes of the body but for 64 of options */
    private void begin(int type, int most) throws IOException {
        if (buffer.remaining() < most + 64 + BLOCK_OVERHEAD) {
            flush();
        }
        blockStart = buffer.position();
        buffer.putInt(type).putInt(0);
    }

    private void end() {
        buffer.putInt(END_OF_OPTIONS);
        int length = buffer.position() + Integer.BYTES - blockStart;
        buffer.putInt(length);
        buffer.putInt(blockStart + Integer.BYTES, length);
    }

    /** In units of 10^-9 s, upper half first in either byte order. */
    private void time(long nanos) {
        buffer.putInt((int) (nanos >>> Integer.SIZE)).putInt((int) nanos);
    }

    private void option(int code, int length) {
        buffer.putShort((short) code).putShort((short) length);
    }

    private void text(int code, String text) {
        text(code, text, TEXT_MAX / 4);
    }

    private void text(int code, String text, int most) {
        if (!text.isEmpty()) {
            byte[] bytes = bytes(text, most);
            option(code, bytes.length);
            buffer.put(bytes);
            pad(bytes.length);
        }
    }

    private static byte[] bytes(String text, int most) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= most ? bytes : Arrays.copyOf(bytes, most);
    }

    private void pad(int length) {
        for (int i = length; i % Integer.BYTES != 0; i++) {
            buffer.put((byte) 0);
        }
    }
}
