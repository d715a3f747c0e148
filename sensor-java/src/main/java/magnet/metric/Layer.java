// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.metric.Level.FULL;
import static magnet.metric.Level.SUMMARY;
import static magnet.metric.MetricGroup.NETWORK;

import java.util.List;
import java.util.Locale;
import magnet.record.EventType;

/**
 * A layer of the network stack at which packets and bytes are counted, from the sending socket out and from the
 * device in. Immutable.
 */
// The checker does not see that the records in it hold copies only.
@SuppressWarnings("ImmutableEnumChecker")
public enum Layer {
    SOCKET_SEND(
            EventType.INET_SENDMSG,
            SUMMARY,
            FULL,
            "Socket send",
            "calls that send on an IPv4 or IPv6 socket of any protocol",
            "bytes that these calls asked to send"),
    UDP_SEND(
            EventType.UDP_SENDMSG,
            SUMMARY,
            SUMMARY,
            "UDP send",
            "calls that hand data to UDP over IPv4 or IPv6, refused ones included: a datagram put together from five"
                    + " calls counts five, one call that sends many segments (UDP_SEGMENT) one; calls of sendfile count"
                    + " here and not at the socket",
            "bytes of payload that these calls hand over"),
    TCP_SEND(
            EventType.TCP_SENDMSG,
            FULL,
            SUMMARY,
            "TCP send",
            "calls that hand data to TCP over IPv4 or IPv6",
            "bytes of data handed to TCP"),
    IP_SEND(
            EventType.IP_SEND_SKB,
            SUMMARY,
            FULL,
            "IP send",
            "packets that UDP and raw sockets handed to IPv4 or IPv6; of UDP these are the datagrams that Udp OutDatagrams"
                    + " of /proc/net/snmp counts, those with segments (UDP_SEGMENT) as one",
            "bytes of these packets, headers that IP has written included"),
    IP_SEND_TCP(
            EventType.IP_QUEUE_XMIT,
            FULL,
            FULL,
            "IP send of TCP",
            "segments that TCP handed to IPv4 or IPv6, those without a full socket (resets, answers to a SYN) left out",
            "bytes of these segments, header of TCP included"),
    DEVICE_SEND(
            EventType.DEV_QUEUE_XMIT,
            SUMMARY,
            SUMMARY,
            "Device send",
            "packets queued to a network device; one that passes stacked devices counts at each",
            "bytes of these packets, link header included"),
    DRIVER_SEND(
            EventType.NET_DEV_START_XMIT,
            FULL,
            FULL,
            "Driver send",
            "packets handed to the driver of a network device",
            "bytes of these packets, link header included"),
    DEVICE_RECEIVE(
            EventType.NETIF_RECEIVE_SKB,
            SUMMARY,
            SUMMARY,
            "Device receive",
            "packets that came from a network device",
            "bytes of these packets as the device handed them up"),
    IP_RECEIVE(
            EventType.IP_LOCAL_DELIVER,
            SUMMARY,
            FULL,
            "IP receive",
            "IPv4 and IPv6 packets for this host",
            "bytes of these packets as IP handed them up"),
    UDP_RECEIVE(
            EventType.UDP_RCV,
            SUMMARY,
            FULL,
            "UDP receive",
            "UDP datagrams that came in, before a socket was looked up",
            "bytes of these datagrams as UDP got them"),
    TCP_RECEIVE(
            EventType.TCP_RCV,
            FULL,
            FULL,
            "TCP receive",
            "TCP segments that came in, before a socket was looked up",
            "bytes of these segments as TCP got them"),
    UDP_QUEUE(
            EventType.UDP_ENQUEUE,
            FULL,
            FULL,
            "UDP queue",
            "datagrams about to be put on the queue of their socket, which may be full",
            "bytes of these datagrams as the queue gets them"),
    SOCKET_RECEIVE(
            EventType.SKB_CONSUME_UDP,
            SUMMARY,
            SUMMARY,
            "Socket receive",
            "UDP datagrams that applications took from their sockets",
            "bytes of payload in these datagrams"),
    TCP_SOCKET_RECEIVE(
            EventType.TCP_CONSUME,
            FULL,
            SUMMARY,
            "TCP socket receive",
            "times that an application was given data of TCP",
            "bytes of data that it was given");

    private final EventType event;
    private final Metric packets;
    private final Metric bytes;

    Layer(EventType event, Level packetsLevel, Level bytesLevel, String title, String packetsHelp, String bytesHelp) {
        this.event = event;
        String stem = "magnet_net_" + name().toLowerCase(Locale.ROOT);
        MetricMaker make = MetricMaker.of(NETWORK, event);
        this.packets = make.at(packetsLevel)
                .rate(stem + "_packets_rate", "packets/sec", title + " packets", "Per second: " + packetsHelp);
        this.bytes = make.at(bytesLevel)
                .rate(stem + "_bytes_rate", "bytes/sec", title + " bytes", "Per second: " + bytesHelp);
    }

    /** The event of each packet at this layer. */
    public EventType event() {
        return event;
    }

    /** Packets per second. */
    public Metric packets() {
        return packets;
    }

    /** Bytes per second. */
    public Metric bytes() {
        return bytes;
    }

    /** Both. */
    public List<Metric> metrics() {
        return List.of(packets, bytes);
    }
}
