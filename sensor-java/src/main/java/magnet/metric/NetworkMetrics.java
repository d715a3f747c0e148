// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.metric.DistributionMetrics.P50_P99_MAX;
import static magnet.metric.MetricGroup.NETWORK;

import java.util.ArrayList;
import java.util.List;
import magnet.record.EventType;

/** Metrics of group network: those of each {@link Layer}, what comes how often, and what is lost on the way. */
public final class NetworkMetrics {
    public static final DistributionMetrics UDP_INTERARRIVAL = MetricMaker.of(NETWORK, EventType.UDP_RCV)
            .time(
                    "magnet_net_udp_interarrival",
                    "UDP inter-arrival",
                    "Time between one UDP datagram and the next at udp_rcv, over all sockets and CPUs",
                    P50_P99_MAX,
                    List.of());

    public static final BucketMetrics UDP_INTERARRIVAL_BUCKETS = MetricMaker.of(NETWORK, EventType.UDP_RCV)
            .buckets(
                    "magnet_net_udp_interarrival",
                    "datagrams/sec",
                    "UDP inter-arrival",
                    "UDP datagrams by the time since the one before",
                    16);

    public static final DistributionMetrics TCP_INTERARRIVAL = MetricMaker.of(NETWORK, EventType.TCP_RCV)
            .at(Level.FULL)
            .time(
                    "magnet_net_tcp_interarrival",
                    "TCP inter-arrival",
                    "Time between one TCP segment and the next at tcp_rcv, over all sockets and CPUs",
                    P50_P99_MAX,
                    List.of());

    public static final BucketMetrics TCP_INTERARRIVAL_BUCKETS = MetricMaker.of(NETWORK, EventType.TCP_RCV)
            .buckets(
                    "magnet_net_tcp_interarrival",
                    "segments/sec",
                    "TCP inter-arrival",
                    "TCP segments by the time since the one before",
                    16);

    public static final Metric TCP_RETRANSMITS = MetricMaker.of(NETWORK, EventType.TCP_RETRANSMIT_SKB)
            .at(Level.HEARTBEAT)
            .rate(
                    "magnet_net_tcp_retransmits_rate",
                    "segments/sec",
                    "TCP retransmits",
                    "Segments per second that TCP sent again, each of a packet that is cut up later");

    public static final Metric DRIVER_REFUSALS = MetricMaker.of(NETWORK, EventType.NET_DEV_XMIT)
            .at(Level.FULL)
            .rate(
                    "magnet_net_driver_refusals_rate",
                    "packets/sec",
                    "Driver refusals",
                    "Packets per second that the driver of a network device did not take");

    public static final Metric DROPS = MetricMaker.of(NETWORK, EventType.KFREE_SKB)
            .rate(
                    "magnet_net_drops_rate",
                    "packets/sec",
                    "Packets dropped",
                    "Packets per second that the kernel threw away, for any reason; not all of them are losses");

    private NetworkMetrics() {}

    static List<Metric> all() {
        List<Metric> all = new ArrayList<>();
        for (Layer layer : Layer.values()) {
            all.addAll(layer.metrics());
        }
        all.addAll(ofUdpArrivals());
        all.addAll(ofTcpArrivals());
        all.add(TCP_RETRANSMITS);
        all.add(DRIVER_REFUSALS);
        all.addAll(drops());
        return all;
    }

    /** What is made of the times at which datagrams of UDP come. */
    public static List<Metric> ofUdpArrivals() {
        List<Metric> all = new ArrayList<>(UDP_INTERARRIVAL.metrics());
        all.addAll(UDP_INTERARRIVAL_BUCKETS.metrics());
        return all;
    }

    /** What is made of the times at which segments of TCP come. */
    public static List<Metric> ofTcpArrivals() {
        List<Metric> all = new ArrayList<>(TCP_INTERARRIVAL.metrics());
        all.addAll(TCP_INTERARRIVAL_BUCKETS.metrics());
        return all;
    }

    /** What is thrown away, in all and by reason. */
    public static List<Metric> drops() {
        List<Metric> drops = new ArrayList<>();
        drops.add(DROPS);
        for (DropReason reason : DropReason.values()) {
            drops.add(reason.metric());
        }
        return drops;
    }
}
