// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.record.EventType.DEV_QUEUE_XMIT;
import static magnet.record.EventType.INET_SENDMSG;
import static magnet.record.EventType.IP_SEND_SKB;
import static magnet.record.EventType.UDP_SENDMSG;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import magnet.record.EventType;

/** A stretch of the UDP send journey between two layers. Immutable. */
// The checker does not see that the records in it hold copies only.
@SuppressWarnings("ImmutableEnumChecker")
public enum Hop {
    SOCKET_TO_UDP("socket to UDP", EnumSet.of(INET_SENDMSG, UDP_SENDMSG)),
    UDP_TO_IP("UDP to IP", EnumSet.of(UDP_SENDMSG, IP_SEND_SKB)),
    IP_TO_DEVICE("IP to device", EnumSet.of(UDP_SENDMSG, IP_SEND_SKB, DEV_QUEUE_XMIT)),
    SOCKET_TO_DEVICE("socket to device", EnumSet.of(INET_SENDMSG, UDP_SENDMSG, IP_SEND_SKB, DEV_QUEUE_XMIT));

    private final DistributionMetrics metrics;

    Hop(String title, Set<EventType> events) {
        this.metrics = DistributionMetrics.ofTime(
                "magnet_journey_" + name().toLowerCase(Locale.ROOT),
                MetricGroup.JOURNEY,
                "UDP send journey, " + title,
                "Time of a UDP datagram on its way out from " + title
                        + ", within one call; the first packet of a datagram that is sent in several",
                events,
                DistributionMetrics.P50_P95_P99_MAX);
    }

    /** The metrics of the time that it takes. */
    public DistributionMetrics metrics() {
        return metrics;
    }
}
