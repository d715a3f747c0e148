// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/** Writes datagrams as the kernel does, for tests. */
final class ReplyWriter {
    private final ByteBuffer datagram = ByteBuffer.allocate(64 * 1024).order(ByteOrder.nativeOrder());
    private final Deque<Integer> nests = new ArrayDeque<>();
    private int start;

    /** Begins a generic netlink message. */
    ReplyWriter message(int type, int flags, int sequence, int command) {
        header(type, flags, sequence);
        datagram.put((byte) command).put((byte) 1).putShort((short) 0);
        return this;
    }

    /** An error or acknowledgement, capped as asked for. */
    ReplyWriter error(int sequence, int errno, String text) {
        header(Netlink.TYPE_ERROR, Netlink.FLAG_CAPPED | (text.isEmpty() ? 0 : Netlink.FLAG_ACK_ATTRIBUTES), sequence);
        datagram.putInt(-errno).put(new byte[Netlink.HEADER_SIZE]);
        return text.isEmpty() ? this : string(Netlink.ERROR_TEXT, text);
    }

    /** The end of a dump. */
    ReplyWriter done(int sequence, int flags, int errno) {
        header(Netlink.TYPE_DONE, Netlink.FLAG_MULTI | flags, sequence);
        datagram.putInt(-errno);
        return this;
    }

    ReplyWriter u16(int attribute, int value) {
        attribute(attribute, Short.BYTES);
        datagram.putShort((short) value).putShort((short) 0);
        return this;
    }

    ReplyWriter u32(int attribute, long value) {
        attribute(attribute, Integer.BYTES);
        datagram.putInt((int) value);
        return this;
    }

    /** A 64-bit value with the padding that the kernel puts in front of it on some machines. */
    ReplyWriter u64(int attribute, long value) {
        if (datagram.position() % 8 == 0) {
            attribute(AttributeId.PAD, 0);
        }
        attribute(attribute, Long.BYTES);
        datagram.putLong(value);
        return this;
    }

    ReplyWriter string(int attribute, String value) {
        byte[] bytes = (value + "\0").getBytes(StandardCharsets.UTF_8);
        attribute(attribute, bytes.length);
        datagram.put(bytes);
        datagram.position(Netlink.align(datagram.position()));
        return this;
    }

    ReplyWriter begin(int attribute) {
        nests.push(datagram.position());
        attribute(attribute | Netlink.ATTRIBUTE_NESTED, 0);
        return this;
    }

    ReplyWriter end() {
        int nest = nests.pop();
        datagram.putShort(nest, (short) (datagram.position() - nest));
        return this;
    }

    ByteBuffer datagram() {
        finish();
        ByteBuffer copy = ByteBuffer.allocate(datagram.position()).order(ByteOrder.nativeOrder());
        copy.put(0, datagram, 0, datagram.position());
        return copy;
    }

    private void header(int type, int flags, int sequence) {
        finish();
        start = datagram.position();
        datagram.putInt(0)
                .putShort((short) type)
                .putShort((short) flags)
                .putInt(sequence)
                .putInt(77);
    }

    private void finish() {
        datagram.putInt(start, datagram.position() - start);
    }

    private void attribute(int type, int size) {
        datagram.putShort((short) (Netlink.ATTRIBUTE_HEADER_SIZE + size)).putShort((short) type);
    }
}
