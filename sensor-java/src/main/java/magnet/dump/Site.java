// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import magnet.record.EventType;

/**
 * What rules can ask at a point about the packet whose journey passes there. Immutable.
 *
 * @param point where
 * @param askable fields that a rule can ask for, and that are the packet's there as where it is shown
 * @param fixed fields of which it is known what they can be there
 */
record Site(EventType point, Set<PacketField> askable, Map<PacketField, Ranges> fixed) {
    private static final Set<PacketField> HEADERS = EnumSet.of(
            PacketField.ETHERTYPE,
            PacketField.PROTOCOL,
            PacketField.SOURCE_PORT,
            PacketField.DESTINATION_PORT,
            PacketField.SOURCE_ADDRESS,
            PacketField.DESTINATION_ADDRESS);
    private static final Set<PacketField> ALL = EnumSet.complementOf(EnumSet.of(PacketField.SENT));

    private static final Ranges UDP = Ranges.ofEach(PacketField.PROTOCOL.most(), 17, 136);
    private static final Ranges TCP = Ranges.ofEach(PacketField.PROTOCOL.most(), 6);
    /** Those of the protocols that hand IP segments of connections: DCCP and SCTP besides. */
    private static final Ranges CONNECTIONS = Ranges.ofEach(PacketField.PROTOCOL.most(), 6, 33, 132);

    Site {
        askable = Set.copyOf(askable);
        fixed = Map.copyOf(fixed);
    }

    /** The one of a point that tells of journeys. CPU and thread of a packet are those of where it is shown. */
    static Site of(EventType point) {
        return switch (point) {
            case NET_DEV_START_XMIT -> new Site(point, ALL, fixed(PacketField.SENT, Ranges.of(1, 1, 1)));
            case NETIF_RECEIVE_SKB -> new Site(point, ALL, fixed(PacketField.SENT, Ranges.of(1, 0, 0)));
            case UDP_RCV, UDP_ENQUEUE, SKB_CONSUME_UDP -> new Site(point, HEADERS, fixed(PacketField.PROTOCOL, UDP));
            case TCP_RCV, TCP_RCV_ESTABLISHED -> new Site(point, HEADERS, fixed(PacketField.PROTOCOL, TCP));
            case UDP_SENDMSG -> new Site(point, Set.of(), fixed(PacketField.PROTOCOL, UDP));
            case TCP_SENDMSG -> new Site(point, Set.of(), fixed(PacketField.PROTOCOL, TCP));
            case IP_QUEUE_XMIT -> new Site(point, Set.of(), fixed(PacketField.PROTOCOL, CONNECTIONS));
            case IP_SEND_SKB, DEV_QUEUE_XMIT, IP_LOCAL_DELIVER, KFREE_SKB -> new Site(point, HEADERS, Map.of());
            default -> new Site(point, Set.of(), Map.of());
        };
    }

    private static Map<PacketField, Ranges> fixed(PacketField field, Ranges values) {
        Map<PacketField, Ranges> fixed = new EnumMap<>(PacketField.class);
        fixed.put(field, values);
        return fixed;
    }

    /** Whether packets are shown as they are there. */
    boolean isShown() {
        return point == EventType.NET_DEV_START_XMIT || point == EventType.NETIF_RECEIVE_SKB;
    }
}
