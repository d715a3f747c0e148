// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * One netlink message within a datagram. A view: the bytes must not change while it is in use.
 *
 * @param bytes the datagram, in the machine's byte order
 * @param type the family's id, or what netlink itself says
 * @param flags {@code NLM_F_*}
 * @param sequence of the request that it answers; 0 for a notice
 * @param from index of its payload
 * @param to index after it
 */
record Message(ByteBuffer bytes, int type, int flags, int sequence, int from, int to) {

    /** Finds the messages of a datagram. */
    static List<Message> parse(ByteBuffer datagram) throws MalformedMessageException {
        if (datagram.order() != ByteOrder.nativeOrder()) {
            throw new IllegalArgumentException("netlink is in native byte order: order=" + datagram.order());
        }
        List<Message> messages = new ArrayList<>();
        int end = datagram.limit();
        int at = 0;
        while (at < end) {
            if (end - at < Netlink.HEADER_SIZE) {
                throw new MalformedMessageException("a header in " + (end - at) + " bytes");
            }
            int size = datagram.getInt(at);
            if (size < Netlink.HEADER_SIZE || size > end - at) {
                throw new MalformedMessageException(
                        "a message of " + size + " bytes where " + (end - at) + " are left");
            }
            messages.add(new Message(
                    datagram,
                    Short.toUnsignedInt(datagram.getShort(at + 4)),
                    Short.toUnsignedInt(datagram.getShort(at + 6)),
                    datagram.getInt(at + 8),
                    at + Netlink.HEADER_SIZE,
                    at + size));
            at = size > end - at - Netlink.ALIGNMENT ? end : at + Netlink.align(size);
        }
        return messages;
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** Of a generic netlink message: its command. */
    int command() throws MalformedMessageException {
        require(Netlink.GENERIC_HEADER_SIZE);
        return Byte.toUnsignedInt(bytes.get(from));
    }

    /** Of a generic netlink message: its attributes. */
    Attributes attributes() throws MalformedMessageException {
        require(Netlink.GENERIC_HEADER_SIZE);
        return Attributes.parse(bytes, from + Netlink.GENERIC_HEADER_SIZE, to);
    }

    /** Of an error or the end of a dump: errno, positive; 0 is an acknowledgement. */
    int errno() throws MalformedMessageException {
        if (type == Netlink.TYPE_DONE && to - from < Integer.BYTES) {
            return 0;
        }
        require(Integer.BYTES);
        return -bytes.getInt(from);
    }

    /** Of an error or the end of a dump: what the kernel says of it, or nothing. */
    String errorText() throws MalformedMessageException {
        if (!has(Netlink.FLAG_ACK_ATTRIBUTES)) {
            return "";
        }
        int at = from + Integer.BYTES;
        if (type == Netlink.TYPE_ERROR) {
            require(Integer.BYTES + Netlink.HEADER_SIZE);
            int repeated = has(Netlink.FLAG_CAPPED) ? Netlink.HEADER_SIZE : bytes.getInt(at);
            if (repeated < Netlink.HEADER_SIZE || repeated > to - at) {
                throw new MalformedMessageException("an error that repeats " + repeated + " bytes");
            }
            at += Netlink.align(repeated);
        }
        Attributes attributes = Attributes.parse(bytes, Math.min(at, to), to);
        return attributes.has(Netlink.ERROR_TEXT) ? attributes.string(Netlink.ERROR_TEXT) : "";
    }

    private void require(int size) throws MalformedMessageException {
        if (to - from < size) {
            throw new MalformedMessageException("a payload of " + (to - from) + " bytes and not " + size);
        }
    }
}
