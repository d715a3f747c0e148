// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Builds one generic netlink request.
 *
 * <pre>
 *  0  u32 length      whole message
 *  4  u16 type        the family's id
 *  6  u16 flags
 *  8  u32 sequence    comes back in every answer
 * 12  u32 port        0: the kernel fills it in
 * 16  u8  command
 * 17  u8  version
 * 18  u16 reserved
 * 20  attributes      u16 length, u16 type, value, padding to 4 bytes
 * </pre>
 */
final class RequestWriter {
    private static final int CAPACITY = 8 * 1024;

    /** The longest is a chain of rules, MAGNET_RULES_SIZE; of names and definitions the kernel knows the limit. */
    static final int STRING_SIZE = 4096;

    private final ByteBuffer message = ByteBuffer.allocate(CAPACITY).order(ByteOrder.nativeOrder());

    RequestWriter(int family, int flags, int sequence, int command, int version) {
        message.putInt(0).putShort((short) family).putShort((short) flags);
        message.putInt(sequence).putInt(0);
        message.put((byte) command).put((byte) version).putShort((short) 0);
    }

    RequestWriter u32(int attribute, int value) {
        header(attribute, Integer.BYTES);
        message.putInt(value);
        return this;
    }

    RequestWriter u64(int attribute, long value) {
        header(attribute, Long.BYTES);
        message.putLong(value);
        return this;
    }

    /**
     * Puts a string with its terminating NUL.
     *
     * @throws IllegalArgumentException if it is longer than any chain of rules may be
     */
    RequestWriter string(int attribute, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        if (bytes.length >= STRING_SIZE) {
            throw new IllegalArgumentException("too long: " + value.substring(0, 40) + "...");
        }
        header(attribute, bytes.length + 1);
        message.put(bytes);
        message.position(Netlink.align(message.position() + 1));
        return this;
    }

    /** The finished message, from its first byte to its last. */
    ByteBuffer build() {
        message.putInt(0, message.position());
        return message.flip();
    }

    private void header(int attribute, int size) {
        message.putShort((short) (Netlink.ATTRIBUTE_HEADER_SIZE + size)).putShort((short) attribute);
    }
}
