// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;

/**
 * The time from one incoming UDP datagram to the next, at udp_rcv over all CPUs and sockets: the socket is not known
 * there yet. For one thread.
 */
final class ArrivalSummary implements Windowed {
    private final Quality quality;
    private final WindowedDistribution interarrival;
    private boolean arrived;
    private long lastTimer;

    ArrivalSummary(int slots, TimerScale scale, Quality quality) {
        this.quality = quality;
        this.interarrival = new WindowedDistribution(slots, scale);
    }

    /** A UDP datagram came in. */
    void onArrival(long timer) {
        if (arrived) {
            interarrival.record(quality.length(timer - lastTimer));
        }
        arrived = true;
        lastTimer = timer;
    }

    /** Datagrams may be missing since the last one. */
    void onLost() {
        if (arrived) {
            arrived = false;
            quality.dropByLoss(1);
        }
    }

    void put(MetricSnapshot.Builder snapshot) {
        interarrival.put(Metrics.UDP_INTERARRIVAL, snapshot);
    }

    @Override
    public void advance() {
        interarrival.advance();
    }
}
