// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

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

import java.util.ArrayList;
import java.util.List;

/** Metrics of group journey: those of each {@link Hop}, and whole journeys in buckets. */
public final class JourneyMetrics {
    public static final BucketMetrics UDP_SEND_BUCKETS = MetricMaker.of(
                    MetricGroup.JOURNEY, INET_SENDMSG, UDP_SENDMSG, IP_SEND_SKB, DEV_QUEUE_XMIT)
            .joinedByThread()
            .buckets(
                    "magnet_journey_socket_to_device",
                    "datagrams/sec",
                    "UDP send journey",
                    "UDP datagrams by their time from socket to device",
                    1);

    public static final BucketMetrics UDP_RECEIVE_BUCKETS = MetricMaker.of(
                    MetricGroup.JOURNEY, NETIF_RECEIVE_SKB, IP_LOCAL_DELIVER, UDP_RCV, UDP_ENQUEUE, SKB_CONSUME_UDP)
            .buckets(
                    "magnet_journey_udp_receive_device_to_program",
                    "datagrams/sec",
                    "UDP receive journey",
                    "UDP datagrams by their time from device to program",
                    4);

    public static final BucketMetrics TCP_SEND_BUCKETS = MetricMaker.of(
                    MetricGroup.JOURNEY, INET_SENDMSG, TCP_SENDMSG, IP_QUEUE_XMIT, DEV_QUEUE_XMIT)
            .joinedByThread()
            .buckets(
                    "magnet_journey_tcp_send_socket_to_device",
                    "sends/sec",
                    "TCP send journey",
                    "data that programs gave to TCP, by its time from socket to device",
                    1);

    public static final BucketMetrics TCP_RECEIVE_BUCKETS = MetricMaker.of(
                    MetricGroup.JOURNEY, NETIF_RECEIVE_SKB, IP_LOCAL_DELIVER, TCP_RCV, TCP_RCV_ESTABLISHED)
            .buckets(
                    "magnet_journey_tcp_receive_device_to_connection",
                    "segments/sec",
                    "TCP receive journey",
                    "TCP segments by their time from device to connection",
                    4);

    private JourneyMetrics() {}

    /** Of the receive journey. */
    public static List<Metric> receiveBuckets() {
        List<Metric> all = new ArrayList<>(UDP_RECEIVE_BUCKETS.metrics());
        all.addAll(TCP_RECEIVE_BUCKETS.metrics());
        return all;
    }

    static List<Metric> all() {
        List<Metric> all = new ArrayList<>();
        for (Hop hop : Hop.values()) {
            all.addAll(hop.metrics().metrics());
        }
        all.addAll(UDP_SEND_BUCKETS.metrics());
        all.addAll(TCP_SEND_BUCKETS.metrics());
        all.addAll(receiveBuckets());
        return all;
    }
}
