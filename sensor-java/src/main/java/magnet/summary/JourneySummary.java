// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.metric.Hop;
import magnet.metric.MetricSnapshot;

/**
 * The UDP send journey of MAGNET's figure 5: inet_sendmsg, udp_sendmsg, ip_send_skb, dev_queue_xmit. For one thread.
 *
 * <p>The hops of one call join by thread and socket cookie, in this order; a call that begins anew forgets the one
 * before it, so that a send that failed half way leaves no false time. Of a datagram that leaves in several packets,
 * or through stacked devices, the first event at each layer counts. Calls of other protocols than UDP have no journey.
 * With MSG_MORE or UDP_CORK the journey is that of the call that sends; data that is pushed out by clearing UDP_CORK
 * counts from the last call to udp_sendmsg.
 */
final class JourneySummary implements Windowed {
    private static final int IPPROTO_UDP = 17;
    private static final int IPPROTO_UDPLITE = 136;
    private static final int CAPACITY = 4_096;
    private static final int AT_SOCKET = 1;
    private static final int AT_UDP = 2;
    private static final int AT_IP = 3;
    /** Added to a stage when the call's begin at the socket is known. */
    private static final int FROM_SOCKET = 8;

    private final Quality quality;
    private final OpenIntervals open = new OpenIntervals(CAPACITY);
    private final WindowedDistribution socketToUdp;
    private final WindowedDistribution udpToIp;
    private final WindowedDistribution ipToDevice;
    private final WindowedDistribution socketToDevice;

    JourneySummary(int slots, TimerScale scale, Quality quality) {
        this.quality = quality;
        this.socketToUdp = new WindowedDistribution(slots, scale);
        this.udpToIp = new WindowedDistribution(slots, scale);
        this.ipToDevice = new WindowedDistribution(slots, scale);
        this.socketToDevice = new WindowedDistribution(slots, scale);
    }

    /** inet_sendmsg. */
    void onSocketSend(long tid, long cookie, int protocol, long timer) {
        if (protocol == IPPROTO_UDP || protocol == IPPROTO_UDPLITE) {
            open.open(tid, cookie, timer, AT_SOCKET | FROM_SOCKET);
        }
    }

    /** udp_sendmsg; a caller inside the kernel may come here without the layer above. */
    void onUdpSend(long tid, long cookie, long timer) {
        int place = open.find(tid, cookie);
        if (place != OpenIntervals.NONE && open.stage(place) == (AT_SOCKET | FROM_SOCKET)) {
            socketToUdp.record(quality.length(timer - open.last(place)));
            open.step(place, timer, AT_UDP | FROM_SOCKET);
        } else {
            open.open(tid, cookie, timer, AT_UDP);
        }
    }

    /** ip_send_skb. */
    void onIpSend(long tid, long cookie, long timer) {
        int place = open.find(tid, cookie);
        if (place != OpenIntervals.NONE && (open.stage(place) & ~FROM_SOCKET) == AT_UDP) {
            udpToIp.record(quality.length(timer - open.last(place)));
            open.step(place, timer, AT_IP | (open.stage(place) & FROM_SOCKET));
        }
    }

    /** dev_queue_xmit, where the journey ends. */
    void onDeviceSend(long tid, long cookie, long timer) {
        int place = open.find(tid, cookie);
        if (place != OpenIntervals.NONE && (open.stage(place) & ~FROM_SOCKET) == AT_IP) {
            ipToDevice.record(quality.length(timer - open.last(place)));
            if ((open.stage(place) & FROM_SOCKET) != 0) {
                socketToDevice.record(quality.length(timer - open.begin(place)));
            }
            open.close(place);
        }
    }

    /** A thread ended. */
    void onExit(long tid) {
        open.closeFirst(tid);
    }

    /** Any hop of any open journey may be missing: a thread can have been on the CPU that lost. */
    void onLost() {
        quality.dropByLoss(open.closeAll());
    }

    void put(MetricSnapshot.Builder snapshot) {
        quality.evict(open.takeEvicted());
        socketToUdp.put(Hop.SOCKET_TO_UDP.metrics(), snapshot);
        udpToIp.put(Hop.UDP_TO_IP.metrics(), snapshot);
        ipToDevice.put(Hop.IP_TO_DEVICE.metrics(), snapshot);
        socketToDevice.put(Hop.SOCKET_TO_DEVICE.metrics(), snapshot);
    }

    @Override
    public void advance() {
        socketToUdp.advance();
        udpToIp.advance();
        ipToDevice.advance();
        socketToDevice.advance();
    }
}
