// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What stands in front of a packet's network header in a file: records have no link header, and what they know of the link
 * is what LINKTYPE_LINUX_SLL2 has, for devices of every type. All fields are big endian
 * (tcpdump.org/linktypes/LINKTYPE_LINUX_SLL2.html).
 *
 * <pre>
 *  0            2        4              8             10            11               12
 *  +------------+--------+--------------+-------------+-------------+----------------+-----------------+
 *  | ethertype  | 0      | ifindex      | ARPHRD type | packet type | address length | address         |
 *  | u16        | u16    | u32          | u16         | u8          | u8, always 0   | 8 bytes, zeros  |
 *  +------------+--------+--------------+-------------+-------------+----------------+-----------------+
 * </pre>
 *
 * <p>The packet type is 4 for one that this machine sent and 0 for others: records do not tell a broadcast. Stateless.
 */
final class CookedHeader {
    /** Bytes of it. */
    static final int SIZE = 20;
    /** ARPHRD_VOID: the device's type is not known. */
    static final int TYPE_UNKNOWN = 0xffff;

    private static final int ARPHRD_FRAD = 770;
    private static final int ARPHRD_IEEE80211 = 801;
    private static final int ARPHRD_IEEE80211_RADIOTAP = 803;
    private static final int ARPHRD_NETLINK = 824;
    private static final byte TO_US = 0;
    private static final byte FROM_US = 4;

    private CookedHeader() {}

    /** Writes it at the buffer's beginning; neither position nor order of the buffer change. */
    static void put(ByteBuffer buffer, int ethertype, int ifindex, int deviceType, boolean sent) {
        ByteOrder order = buffer.order();
        buffer.order(ByteOrder.BIG_ENDIAN);
        buffer.putShort(0, (short) ethertype)
                .putShort(2, (short) 0)
                .putInt(4, ifindex)
                .putShort(8, (short) (ethertypeCounts(deviceType) ? deviceType : TYPE_UNKNOWN))
                .put(10, sent ? FROM_US : TO_US)
                .put(11, (byte) 0)
                .putLong(12, 0);
        buffer.order(order);
    }

    /** With these a reader would look for a header of theirs where the network header is. */
    private static boolean ethertypeCounts(int deviceType) {
        return switch (deviceType) {
            case ARPHRD_FRAD, ARPHRD_IEEE80211, 802, ARPHRD_IEEE80211_RADIOTAP, ARPHRD_NETLINK -> false;
            default -> true;
        };
    }
}
