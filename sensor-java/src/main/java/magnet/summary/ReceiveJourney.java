// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.metric.Hop.TCP_RECEIVE_DEVICE_TO_CONNECTION;
import static magnet.metric.Hop.TCP_RECEIVE_DEVICE_TO_IP;
import static magnet.metric.Hop.TCP_RECEIVE_IP_TO_TCP;
import static magnet.metric.Hop.TCP_RECEIVE_TCP_TO_CONNECTION;
import static magnet.metric.Hop.UDP_RECEIVE_DEVICE_TO_IP;
import static magnet.metric.Hop.UDP_RECEIVE_DEVICE_TO_PROGRAM;
import static magnet.metric.Hop.UDP_RECEIVE_IP_TO_UDP;
import static magnet.metric.Hop.UDP_RECEIVE_QUEUE_TO_PROGRAM;
import static magnet.metric.Hop.UDP_RECEIVE_UDP_TO_QUEUE;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import magnet.metric.Hop;
import magnet.metric.JourneyMetrics;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * The way of packets in: from the device to IP and to UDP or TCP, from there to the socket, and for UDP to the program.
 * For one thread.
 *
 * <p>The hops of a packet join by its packet id, as long as the kernel carries the same buffer. A packet that goes
 * elsewhere, is dropped, or copied on the way has no journey, so one that is not finished is no loss; but a datagram that
 * waits for its program so long that it has to give way to later ones is counted as discarded. How long TCP's
 * data waits for the program cannot be told: what a program is given is bytes, not packets.
 */
final class ReceiveJourney extends BuiltInHandler {
    static final List<Hop> HOPS = List.of(
            UDP_RECEIVE_DEVICE_TO_IP,
            UDP_RECEIVE_IP_TO_UDP,
            UDP_RECEIVE_UDP_TO_QUEUE,
            UDP_RECEIVE_QUEUE_TO_PROGRAM,
            UDP_RECEIVE_DEVICE_TO_PROGRAM,
            TCP_RECEIVE_DEVICE_TO_IP,
            TCP_RECEIVE_IP_TO_TCP,
            TCP_RECEIVE_TCP_TO_CONNECTION,
            TCP_RECEIVE_DEVICE_TO_CONNECTION);

    // Their places in it.
    private static final int UDP_DEVICE_TO_IP = HOPS.indexOf(UDP_RECEIVE_DEVICE_TO_IP);
    private static final int UDP_IP_TO_UDP = HOPS.indexOf(UDP_RECEIVE_IP_TO_UDP);
    private static final int UDP_UDP_TO_QUEUE = HOPS.indexOf(UDP_RECEIVE_UDP_TO_QUEUE);
    private static final int UDP_QUEUE_TO_PROGRAM = HOPS.indexOf(UDP_RECEIVE_QUEUE_TO_PROGRAM);
    private static final int UDP_DEVICE_TO_PROGRAM = HOPS.indexOf(UDP_RECEIVE_DEVICE_TO_PROGRAM);
    private static final int TCP_DEVICE_TO_IP = HOPS.indexOf(TCP_RECEIVE_DEVICE_TO_IP);
    private static final int TCP_IP_TO_TCP = HOPS.indexOf(TCP_RECEIVE_IP_TO_TCP);
    private static final int TCP_TCP_TO_CONNECTION = HOPS.indexOf(TCP_RECEIVE_TCP_TO_CONNECTION);
    private static final int TCP_DEVICE_TO_CONNECTION = HOPS.indexOf(TCP_RECEIVE_DEVICE_TO_CONNECTION);

    private static final int CAPACITY = 8_192;
    private static final int AT_DEVICE = 1;
    private static final int AT_IP = 2;
    private static final int AT_UDP = 3;
    private static final int AT_QUEUE = 4;
    private static final int AT_TCP = 5;

    private final Quality quality;
    private final OpenIntervals open = new OpenIntervals(CAPACITY);
    private final WindowedDistribution[] times = new WindowedDistribution[HOPS.size()];

    ReceiveJourney(int slots, TimerScale scale, Quality quality) {
        this.quality = quality;
        // Where a datagram only has to be fetched: what gives way here would have been measured.
        open.watch(AT_QUEUE);
        for (int hop = 0; hop < times.length; hop++) {
            times[hop] = new WindowedDistribution(slots, scale);
        }
    }

    @Override
    Set<EventType> events() {
        return EnumSet.of(
                EventType.NETIF_RECEIVE_SKB,
                EventType.IP_LOCAL_DELIVER,
                EventType.UDP_RCV,
                EventType.UDP_ENQUEUE,
                EventType.SKB_CONSUME_UDP,
                EventType.TCP_RCV,
                EventType.TCP_RCV_ESTABLISHED);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        long packet = record.payloadU64(Payload.PACKET_PACKET_ID_OFFSET);
        long timer = record.timer();
        if (type == EventType.NETIF_RECEIVE_SKB) {
            open.open(packet, 0, timer, AT_DEVICE);
            return;
        }
        int place = open.find(packet, 0);
        if (place == OpenIntervals.NONE) {
            return;
        }
        switch (type) {
            case IP_LOCAL_DELIVER -> step(place, AT_DEVICE, timer, AT_IP);
            case UDP_RCV -> atTransport(place, timer, UDP_DEVICE_TO_IP, UDP_IP_TO_UDP, AT_UDP);
            case TCP_RCV -> atTransport(place, timer, TCP_DEVICE_TO_IP, TCP_IP_TO_TCP, AT_TCP);
            case UDP_ENQUEUE -> {
                if (open.stage(place) == AT_UDP) {
                    record(UDP_UDP_TO_QUEUE, timer - open.last(place));
                    open.step(place, timer, AT_QUEUE);
                }
            }
            case SKB_CONSUME_UDP -> atProgram(place, timer);
            default -> atConnection(place, timer);
        }
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    private void step(int place, int from, long timer, int to) {
        if (open.stage(place) == from) {
            open.step(place, timer, to);
        }
    }

    /** Only here it is known whose the hops before were. */
    private void atTransport(int place, long timer, int toIp, int toTransport, int stage) {
        if (open.stage(place) == AT_IP) {
            record(toIp, open.last(place) - open.begin(place));
            record(toTransport, timer - open.last(place));
            open.step(place, timer, stage);
        }
    }

    private void atProgram(int place, long timer) {
        if (open.stage(place) == AT_QUEUE) {
            record(UDP_QUEUE_TO_PROGRAM, timer - open.last(place));
            record(UDP_DEVICE_TO_PROGRAM, timer - open.begin(place));
            open.close(place);
        }
    }

    private void atConnection(int place, long timer) {
        if (open.stage(place) == AT_TCP) {
            record(TCP_TCP_TO_CONNECTION, timer - open.last(place));
            record(TCP_DEVICE_TO_CONNECTION, timer - open.begin(place));
            open.close(place);
        }
    }

    private void record(int hop, long ticks) {
        times[hop].record(quality.length(ticks));
    }

    /** Any hop of any open journey may be missing. Those that would not have come to an end anyway count, too. */
    @Override
    void onLost(int cpu) {
        quality.dropByLoss(open.closeAll());
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        quality.evict(open.takeEvictedWatched());
        for (int hop = 0; hop < times.length; hop++) {
            times[hop].put(HOPS.get(hop).metrics(), snapshot);
        }
        times[UDP_DEVICE_TO_PROGRAM].put(JourneyMetrics.UDP_RECEIVE_BUCKETS, snapshot);
        times[TCP_DEVICE_TO_CONNECTION].put(JourneyMetrics.TCP_RECEIVE_BUCKETS, snapshot);
    }

    @Override
    public void advance() {
        for (WindowedDistribution each : times) {
            each.advance();
        }
    }
}
