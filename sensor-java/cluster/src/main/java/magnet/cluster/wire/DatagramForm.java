// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * How a {@link Message} lies in a datagram. All numbers are big-endian.
 *
 * <pre>
 *  0  u8[4]  magic "MGC1"
 *  4  u8     version, 1
 *  5  u8     kind: 1 START, 2 STOP, 3 QUERY, 4 ACK
 *  6  u16    length of all, the signature included
 *  8  u128   sender
 * 24  u64    counter
 * 32  u128   run
 * 48  u64    at, nanoseconds since 1970
 * 56  u64    duration, nanoseconds
 * 64  text   UTF-8, up to the signature
 *  …  u8[32] HMAC-SHA256 of all before it
 * </pre>
 *
 * <p>Stateless.
 */
public final class DatagramForm {
    /** The longest datagram, which no network has to split. */
    public static final int SIZE_MOST = 1_400;

    /** The longest text, bytes. */
    public static final int TEXT_MOST = SIZE_MOST - DatagramForm.TEXT_OFFSET - ClusterKey.MAC_SIZE;

    static final int MAGIC = 0x4d474331;
    static final int VERSION = 1;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = 4;
    static final int KIND_OFFSET = 5;
    static final int LENGTH_OFFSET = 6;
    static final int SENDER_OFFSET = 8;
    static final int COUNTER_OFFSET = 24;
    static final int RUN_OFFSET = 32;
    static final int AT_OFFSET = 48;
    static final int DURATION_OFFSET = 56;
    static final int TEXT_OFFSET = 64;
    static final int SIZE_LEAST = TEXT_OFFSET + ClusterKey.MAC_SIZE;

    private DatagramForm() {}

    /**
     * The datagram of a message.
     *
     * @throws IllegalArgumentException if the text is longer than {@value #TEXT_MOST} bytes
     */
    public static ByteBuffer encode(Message message, ClusterKey key) {
        byte[] text = message.text().getBytes(StandardCharsets.UTF_8);
        if (text.length > TEXT_MOST) {
            throw new IllegalArgumentException("a text has at most " + TEXT_MOST + " bytes: " + text.length);
        }
        int end = TEXT_OFFSET + text.length;
        ByteBuffer datagram = ByteBuffer.allocate(end + ClusterKey.MAC_SIZE);
        datagram.putInt(MAGIC_OFFSET, MAGIC);
        datagram.put(VERSION_OFFSET, (byte) VERSION);
        datagram.put(KIND_OFFSET, (byte) message.kind().number());
        datagram.putShort(LENGTH_OFFSET, (short) datagram.capacity());
        put(datagram, SENDER_OFFSET, message.sender());
        datagram.putLong(COUNTER_OFFSET, message.counter());
        put(datagram, RUN_OFFSET, message.run());
        datagram.putLong(AT_OFFSET, message.atNs());
        datagram.putLong(DURATION_OFFSET, message.durationNs());
        datagram.put(TEXT_OFFSET, text);
        key.sign(datagram, end);
        return datagram;
    }

    /**
     * What a datagram says. Nothing is made of it before its signature has been found right.
     *
     * @param datagram from index 0 to its limit
     * @throws RefusedException {@link Refusal#SHORT}, {@link Refusal#BAD_MAC} or {@link Refusal#VERSION}
     */
    public static Message decode(ByteBuffer datagram, ClusterKey key) throws RefusedException {
        int size = datagram.limit();
        if (size < SIZE_LEAST
                || size > SIZE_MOST
                || datagram.getInt(MAGIC_OFFSET) != MAGIC
                || Short.toUnsignedInt(datagram.getShort(LENGTH_OFFSET)) != size) {
            throw new RefusedException(Refusal.SHORT);
        }
        int end = size - ClusterKey.MAC_SIZE;
        if (!key.isSigned(datagram, end)) {
            throw new RefusedException(Refusal.BAD_MAC);
        }
        Kind kind = Kind.of(datagram.get(KIND_OFFSET));
        if (datagram.get(VERSION_OFFSET) != VERSION || kind == null) {
            throw new RefusedException(Refusal.VERSION);
        }
        byte[] text = new byte[end - TEXT_OFFSET];
        datagram.get(TEXT_OFFSET, text);
        return new Message(
                kind,
                id(datagram, SENDER_OFFSET),
                datagram.getLong(COUNTER_OFFSET),
                id(datagram, RUN_OFFSET),
                datagram.getLong(AT_OFFSET),
                datagram.getLong(DURATION_OFFSET),
                new String(text, StandardCharsets.UTF_8));
    }

    private static void put(ByteBuffer datagram, int at, Id id) {
        datagram.putLong(at, id.high()).putLong(at + Long.BYTES, id.low());
    }

    private static Id id(ByteBuffer datagram, int at) {
        return new Id(datagram.getLong(at), datagram.getLong(at + Long.BYTES));
    }
}
