// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The attributes of a message or of a nest, looked up by their type. A view: the bytes must not change while it is
 * in use.
 */
final class Attributes {
    private record Attribute(int type, int offset, int size) {}

    private final ByteBuffer bytes;
    private final List<Attribute> all;

    private Attributes(ByteBuffer bytes, List<Attribute> all) {
        this.bytes = bytes;
        this.all = all;
    }

    /**
     * Finds the attributes in a range of bytes.
     *
     * @param bytes in the machine's byte order
     * @param from index of the first attribute
     * @param to index after the last one
     */
    static Attributes parse(ByteBuffer bytes, int from, int to) throws MalformedMessageException {
        if (bytes.order() != ByteOrder.nativeOrder()) {
            throw new IllegalArgumentException("netlink is in native byte order: order=" + bytes.order());
        }
        List<Attribute> all = new ArrayList<>();
        int at = from;
        // Less than a header is padding.
        while (to - at >= Netlink.ATTRIBUTE_HEADER_SIZE) {
            int size = Short.toUnsignedInt(bytes.getShort(at));
            int type = bytes.getShort(at + Short.BYTES) & Netlink.ATTRIBUTE_TYPE_MASK;
            if (size < Netlink.ATTRIBUTE_HEADER_SIZE || size > to - at) {
                throw new MalformedMessageException(
                        "attribute " + type + " of " + size + " bytes where " + (to - at) + " are left");
            }
            all.add(new Attribute(type, at + Netlink.ATTRIBUTE_HEADER_SIZE, size - Netlink.ATTRIBUTE_HEADER_SIZE));
            at += Netlink.align(size);
        }
        return new Attributes(bytes, all);
    }

    /** The same over bytes of its own. */
    Attributes copy() {
        ByteBuffer own = ByteBuffer.allocate(bytes.limit()).order(ByteOrder.nativeOrder());
        own.put(0, bytes, 0, bytes.limit());
        return new Attributes(own, all);
    }

    boolean has(int type) {
        return all.stream().anyMatch(attribute -> attribute.type == type);
    }

    int u16(int type) throws MalformedMessageException {
        return Short.toUnsignedInt(bytes.getShort(sized(type, Short.BYTES).offset));
    }

    int s32(int type) throws MalformedMessageException {
        return bytes.getInt(sized(type, Integer.BYTES).offset);
    }

    long u32(int type) throws MalformedMessageException {
        return Integer.toUnsignedLong(s32(type));
    }

    long u64(int type) throws MalformedMessageException {
        return bytes.getLong(sized(type, Long.BYTES).offset);
    }

    OptionalLong optionalU32(int type) throws MalformedMessageException {
        return has(type) ? OptionalLong.of(u32(type)) : OptionalLong.empty();
    }

    /** A number that a module may leave out: then 0. */
    long u32OrZero(int type) throws MalformedMessageException {
        return has(type) ? u32(type) : 0;
    }

    /** A number that a module may leave out: then 0. */
    long u64OrZero(int type) throws MalformedMessageException {
        return has(type) ? u64(type) : 0;
    }

    /** A string, up to its first NUL. */
    String string(int type) throws MalformedMessageException {
        Attribute attribute = first(type);
        byte[] text = new byte[attribute.size];
        bytes.get(attribute.offset, text);
        int length = 0;
        while (length < text.length && text[length] != 0) {
            length++;
        }
        return new String(text, 0, length, StandardCharsets.UTF_8);
    }

    /** Every nest of a type, in their order. */
    List<Attributes> nests(int type) throws MalformedMessageException {
        List<Attributes> nests = new ArrayList<>();
        for (Attribute attribute : all) {
            if (attribute.type == type) {
                nests.add(parse(bytes, attribute.offset, attribute.offset + attribute.size));
            }
        }
        return nests;
    }

    /** Every attribute is a nest, whatever its type: an array. */
    List<Attributes> elements() throws MalformedMessageException {
        List<Attributes> nests = new ArrayList<>();
        for (Attribute attribute : all) {
            nests.add(parse(bytes, attribute.offset, attribute.offset + attribute.size));
        }
        return nests;
    }

    private Attribute first(int type) throws MalformedMessageException {
        for (Attribute attribute : all) {
            if (attribute.type == type) {
                return attribute;
            }
        }
        throw new MalformedMessageException("attribute " + type + " is missing");
    }

    private Attribute sized(int type, int size) throws MalformedMessageException {
        Attribute attribute = first(type);
        if (attribute.size != size) {
            throw new MalformedMessageException(
                    "attribute " + type + " has " + attribute.size + " bytes and not " + size);
        }
        return attribute;
    }
}
