// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.metric.DistributionMetrics.P50_P95_P99_MAX;
import static magnet.record.EventType.DEV_QUEUE_XMIT;
import static magnet.record.EventType.INET_SENDMSG;
import static magnet.record.EventType.IP_LOCAL_DELIVER;
import static magnet.record.EventType.IP_QUEUE_XMIT;
import static magnet.record.EventType.IP_SEND_SKB;
import static magnet.record.EventType.NETIF_RECEIVE_SKB;
import static magnet.record.EventType.SKB_CONSUME_UDP;
import static magnet.record.EventType.TCP_RCV;
import static magnet.record.EventType.TCP_RCV_ESTABLISHED;
import static magnet.record.EventType.TCP_SENDMSG;
import static magnet.record.EventType.UDP_ENQUEUE;
import static magnet.record.EventType.UDP_RCV;
import static magnet.record.EventType.UDP_SENDMSG;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import magnet.record.EventType;

/** A stretch of a journey between two layers: out or in, of UDP or TCP. Immutable. */
// The checker does not see that the records in it hold copies only.
@SuppressWarnings("ImmutableEnumChecker")
public enum Hop {
    SOCKET_TO_UDP(JourneyKind.UDP_SEND, "socket to UDP", INET_SENDMSG, UDP_SENDMSG),
    UDP_TO_IP(JourneyKind.UDP_SEND, "UDP to IP", UDP_SENDMSG, IP_SEND_SKB),
    IP_TO_DEVICE(JourneyKind.UDP_SEND, "IP to device", UDP_SENDMSG, IP_SEND_SKB, DEV_QUEUE_XMIT),
    SOCKET_TO_DEVICE(JourneyKind.UDP_SEND, "socket to device", INET_SENDMSG, UDP_SENDMSG, IP_SEND_SKB, DEV_QUEUE_XMIT),

    UDP_RECEIVE_DEVICE_TO_IP(JourneyKind.UDP_RECEIVE, "device to IP", NETIF_RECEIVE_SKB, IP_LOCAL_DELIVER, UDP_RCV),
    UDP_RECEIVE_IP_TO_UDP(JourneyKind.UDP_RECEIVE, "IP to UDP", NETIF_RECEIVE_SKB, IP_LOCAL_DELIVER, UDP_RCV),
    UDP_RECEIVE_UDP_TO_QUEUE(
            JourneyKind.UDP_RECEIVE, "UDP to socket queue", NETIF_RECEIVE_SKB, IP_LOCAL_DELIVER, UDP_RCV, UDP_ENQUEUE),
    UDP_RECEIVE_QUEUE_TO_PROGRAM(
            JourneyKind.UDP_RECEIVE,
            "socket queue to program",
            NETIF_RECEIVE_SKB,
            IP_LOCAL_DELIVER,
            UDP_RCV,
            UDP_ENQUEUE,
            SKB_CONSUME_UDP),
    UDP_RECEIVE_DEVICE_TO_PROGRAM(
            JourneyKind.UDP_RECEIVE,
            "device to program",
            NETIF_RECEIVE_SKB,
            IP_LOCAL_DELIVER,
            UDP_RCV,
            UDP_ENQUEUE,
            SKB_CONSUME_UDP),

    TCP_SEND_SOCKET_TO_TCP(JourneyKind.TCP_SEND, "socket to TCP", INET_SENDMSG, TCP_SENDMSG),
    TCP_SEND_TCP_TO_IP(JourneyKind.TCP_SEND, "TCP to IP", TCP_SENDMSG, IP_QUEUE_XMIT),
    TCP_SEND_IP_TO_DEVICE(JourneyKind.TCP_SEND, "IP to device", TCP_SENDMSG, IP_QUEUE_XMIT, DEV_QUEUE_XMIT),
    TCP_SEND_SOCKET_TO_DEVICE(
            JourneyKind.TCP_SEND, "socket to device", INET_SENDMSG, TCP_SENDMSG, IP_QUEUE_XMIT, DEV_QUEUE_XMIT),

    TCP_RECEIVE_DEVICE_TO_IP(JourneyKind.TCP_RECEIVE, "device to IP", NETIF_RECEIVE_SKB, IP_LOCAL_DELIVER, TCP_RCV),
    TCP_RECEIVE_IP_TO_TCP(JourneyKind.TCP_RECEIVE, "IP to TCP", NETIF_RECEIVE_SKB, IP_LOCAL_DELIVER, TCP_RCV),
    TCP_RECEIVE_TCP_TO_CONNECTION(
            JourneyKind.TCP_RECEIVE,
            "TCP to connection",
            NETIF_RECEIVE_SKB,
            IP_LOCAL_DELIVER,
            TCP_RCV,
            TCP_RCV_ESTABLISHED),
    TCP_RECEIVE_DEVICE_TO_CONNECTION(
            JourneyKind.TCP_RECEIVE,
            "device to connection",
            NETIF_RECEIVE_SKB,
            IP_LOCAL_DELIVER,
            TCP_RCV,
            TCP_RCV_ESTABLISHED);

    /** What is on its way. */
    private enum JourneyKind {
        UDP_SEND(
                "UDP send journey",
                "Time of a UDP datagram on its way out from",
                ", within one call; the first packet of a datagram that is sent in several"),
        UDP_RECEIVE("UDP receive journey", "Time of a UDP datagram on its way in from", ""),
        TCP_SEND(
                "TCP send journey",
                "Time of data of TCP on its way out from",
                "; the first segment that the same thread sends for this socket after the call began"),
        TCP_RECEIVE("TCP receive journey", "Time of a TCP segment on its way in from", "");

        private final String title;
        private final String before;
        private final String after;

        JourneyKind(String title, String before, String after) {
            this.title = title;
            this.before = before;
            this.after = after;
        }
    }

    private final DistributionMetrics metrics;

    Hop(JourneyKind journey, String way, EventType first, EventType... others) {
        boolean byThread = journey == JourneyKind.UDP_SEND || journey == JourneyKind.TCP_SEND;
        boolean whole = name().equals("SOCKET_TO_DEVICE");
        this.metrics = new MetricMaker(
                        MetricGroup.JOURNEY,
                        journey == JourneyKind.UDP_SEND ? Level.SUMMARY : Level.FULL,
                        EnumSet.of(first, others),
                        byThread)
                .time(
                        "magnet_journey_" + name().toLowerCase(Locale.ROOT),
                        journey.title + ", " + way,
                        journey.before + " " + way + journey.after,
                        P50_P95_P99_MAX,
                        whole ? List.of(95.0) : List.of(50.0, 95.0, 99.0));
    }

    /** The metrics of the time that it takes. */
    public DistributionMetrics metrics() {
        return metrics;
    }
}
