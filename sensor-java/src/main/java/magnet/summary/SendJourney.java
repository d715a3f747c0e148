// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

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
 * A send journey in four layers, as in MAGNET's figure 5: inet_sendmsg, udp_sendmsg, ip_send_skb, dev_queue_xmit, and
 * the same of TCP. For one thread.
 *
 * <p>The hops of one call join by thread and socket cookie, in this order; a call that begins anew forgets the one
 * before it, so that a send that failed half way leaves no false time. Of data that leaves in several packets,
 * or through stacked devices, the first event at each layer counts. Calls of other protocols have no journey.
 *
 * <p>UDP: with MSG_MORE or UDP_CORK the journey is that of the call that sends; data that is pushed out by clearing
 * UDP_CORK counts from the last call to udp_sendmsg. TCP: what cannot leave at once leaves later, mostly in an
 * interrupt's context, and has no journey then; so an unfinished journey is no loss. It ends with the socket's next packet,
 * whoever sends that: else the thread's own next one, a FIN perhaps, would be taken for the data's.
 */
final class SendJourney extends BuiltInHandler {
    static final List<Hop> UDP_HOPS = List.of(Hop.SOCKET_TO_UDP, Hop.UDP_TO_IP, Hop.IP_TO_DEVICE, Hop.SOCKET_TO_DEVICE);
    static final List<Hop> TCP_HOPS = List.of(
            Hop.TCP_SEND_SOCKET_TO_TCP,
            Hop.TCP_SEND_TCP_TO_IP,
            Hop.TCP_SEND_IP_TO_DEVICE,
            Hop.TCP_SEND_SOCKET_TO_DEVICE);

    private static final int IPPROTO_TCP = 6;
    private static final int IPPROTO_UDP = 17;
    private static final int IPPROTO_UDPLITE = 136;
    private static final int CAPACITY = 4_096;
    private static final int AT_SOCKET = 1;
    private static final int AT_TRANSPORT = 2;
    private static final int AT_IP = 3;
    /** Added to a stage when the call's begin at the socket is known. */
    private static final int FROM_SOCKET = 8;

    private final boolean tcp;
    private final EventType transport;
    private final EventType network;
    private final List<Hop> hops;
    private final Quality quality;
    private final OpenIntervals open = new OpenIntervals(CAPACITY);
    private final WindowedDistribution[] times;

    private SendJourney(boolean tcp, int slots, TimerScale scale, Quality quality) {
        this.tcp = tcp;
        this.transport = tcp ? EventType.TCP_SENDMSG : EventType.UDP_SENDMSG;
        this.network = tcp ? EventType.IP_QUEUE_XMIT : EventType.IP_SEND_SKB;
        this.hops = tcp ? TCP_HOPS : UDP_HOPS;
        this.quality = quality;
        this.times = new WindowedDistribution[hops.size()];
        for (int i = 0; i < times.length; i++) {
            times[i] = new WindowedDistribution(slots, scale);
        }
    }

    static SendJourney ofUdp(int slots, TimerScale scale, Quality quality) {
        return new SendJourney(false, slots, scale, quality);
    }

    static SendJourney ofTcp(int slots, TimerScale scale, Quality quality) {
        return new SendJourney(true, slots, scale, quality);
    }

    @Override
    Set<EventType> events() {
        return EnumSet.of(
                EventType.INET_SENDMSG, transport, network, EventType.DEV_QUEUE_XMIT, EventType.SCHED_PROCESS_EXIT);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        if (type == EventType.INET_SENDMSG) {
            if (isOurs(record.payloadU16(Payload.SOCK_PROTOCOL_OFFSET))) {
                open(record.tid(), record.abstractId(), record.timer(), AT_SOCKET | FROM_SOCKET);
            }
        } else if (type == transport) {
            onTransport(record.tid(), record.abstractId(), record.timer());
        } else if (open.size() > 0) {
            step(type, record);
        }
    }

    /** What matters only to a journey that is under way. */
    private void step(EventType type, RecordFlyweight record) {
        if (type == EventType.DEV_QUEUE_XMIT) {
            onDevice(record.tid(), record.abstractId(), record.timer());
        } else if (type == EventType.SCHED_PROCESS_EXIT) {
            open.closeNoted(record.tid());
        } else {
            onNetwork(record.tid(), record.abstractId(), record.timer());
        }
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    private boolean isOurs(int protocol) {
        return tcp ? protocol == IPPROTO_TCP : protocol == IPPROTO_UDP || protocol == IPPROTO_UDPLITE;
    }

    /** A caller inside the kernel may come here without the layer above. */
    private void onTransport(long tid, long cookie, long timer) {
        int place = find(tid, cookie);
        if (place != OpenIntervals.NONE && open.stage(place) == (AT_SOCKET | FROM_SOCKET)) {
            times[0].record(quality.length(timer - open.last(place)));
            open.step(place, timer, AT_TRANSPORT | FROM_SOCKET);
        } else {
            open(tid, cookie, timer, AT_TRANSPORT);
        }
    }

    private void onNetwork(long tid, long cookie, long timer) {
        int place = find(tid, cookie);
        if (place != OpenIntervals.NONE && (open.stage(place) & ~FROM_SOCKET) == AT_TRANSPORT) {
            times[1].record(quality.length(timer - open.last(place)));
            open.step(place, timer, AT_IP | (open.stage(place) & FROM_SOCKET));
        }
    }

    /** Where the journey ends. */
    private void onDevice(long tid, long cookie, long timer) {
        int place = find(tid, cookie);
        if (place != OpenIntervals.NONE && (open.stage(place) & ~FROM_SOCKET) == AT_IP) {
            times[2].record(quality.length(timer - open.last(place)));
            if ((open.stage(place) & FROM_SOCKET) != 0) {
                times[3].record(quality.length(timer - open.begin(place)));
            }
            open.close(place);
        }
    }

    private void open(long tid, long cookie, long timer, int stage) {
        open.note(open.open(firstKey(tid), cookie, timer, stage), tid);
    }

    private int find(long tid, long cookie) {
        int place = open.find(firstKey(tid), cookie);
        if (place != OpenIntervals.NONE && open.note(place) != tid) {
            open.close(place);
            return OpenIntervals.NONE;
        }
        return place;
    }

    /** A socket of TCP has one journey at a time, since its sender holds its lock. */
    private long firstKey(long tid) {
        return tcp ? 0 : tid;
    }

    /** Any hop of any open journey may be missing: a thread can have been on the CPU that lost. */
    @Override
    void onLost(int cpu) {
        quality.dropByLoss(open.closeAll());
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        long evicted = open.takeEvicted();
        quality.evict(tcp ? 0 : evicted);
        for (int i = 0; i < times.length; i++) {
            times[i].put(hops.get(i).metrics(), snapshot);
        }
        times[3].put(tcp ? JourneyMetrics.TCP_SEND_BUCKETS : JourneyMetrics.UDP_SEND_BUCKETS, snapshot);
    }

    @Override
    public void advance() {
        for (WindowedDistribution each : times) {
            each.advance();
        }
    }
}
