// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.metric.MetricGroup.NETWORK;

import java.util.Locale;
import java.util.Set;
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
            "Socket send",
            "calls that send on an IPv4 or IPv6 socket of any protocol",
            "bytes that these calls asked to send"),
    UDP_SEND(
            EventType.UDP_SENDMSG,
            "UDP send",
            "datagrams handed to UDP over IPv4 or IPv6",
            "bytes of payload handed to UDP"),
    IP_SEND(
            EventType.IP_SEND_SKB,
            "IP send",
            "packets that UDP and raw sockets handed to IPv4 or IPv6",
            "bytes of these packets, headers that IP has written included"),
    DEVICE_SEND(
            EventType.DEV_QUEUE_XMIT,
            "Device send",
            "packets queued to a network device; one that passes stacked devices counts at each",
            "bytes of these packets, link header included"),
    DEVICE_RECEIVE(
            EventType.NETIF_RECEIVE_SKB,
            "Device receive",
            "packets that came from a network device",
            "bytes of these packets as the device handed them up"),
    IP_RECEIVE(
            EventType.IP_LOCAL_DELIVER,
            "IP receive",
            "IPv4 and IPv6 packets for this host",
            "bytes of these packets as IP handed them up"),
    UDP_RECEIVE(
            EventType.UDP_RCV,
            "UDP receive",
            "UDP datagrams that came in, before a socket was looked up",
            "bytes of these datagrams as UDP got them"),
    SOCKET_RECEIVE(
            EventType.SKB_CONSUME_UDP,
            "Socket receive",
            "UDP datagrams that applications took from their sockets",
            "bytes of payload in these datagrams");

    private final EventType event;
    private final Metric packets;
    private final Metric bytes;

    Layer(EventType event, String title, String packetsHelp, String bytesHelp) {
        this.event = event;
        String stem = "magnet_net_" + name().toLowerCase(Locale.ROOT);
        this.packets = new Metric(
                stem + "_packets_rate",
                NETWORK,
                "packets/sec",
                title + " packets",
                "Per second: " + packetsHelp,
                Slope.BOTH,
                ValueType.DOUBLE,
                Metrics.RATE_DECIMALS,
                Set.of(event));
        this.bytes = new Metric(
                stem + "_bytes_rate",
                NETWORK,
                "bytes/sec",
                title + " bytes",
                "Per second: " + bytesHelp,
                Slope.BOTH,
                ValueType.DOUBLE,
                Metrics.RATE_DECIMALS,
                Set.of(event));
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
}
