// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.util.EnumMap;
import java.util.Map;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.WordKind;
import magnet.record.Words;

/**
 * Journeys of packets: a slice for each stop, all of one packet joined by a flow. For one thread.
 *
 * <p>The stops of a call join by thread and socket cookie until IP has the first packet of it, and from there on by the
 * packet's id, as long as the kernel carries the same buffer. A stop that is not further on than the one before it is
 * another packet's, in a buffer that was used anew: its journey begins there. Over the loopback device, which hands on the
 * very buffer, the way out and the way in are one journey; over others it is not known what came of a packet.
 */
final class JourneyTracks {
    private static final int MOST = 1 << 15;
    /** Kernels have some hundred. */
    private static final int MOST_REASONS = 1_024;

    private static final int IPPROTO_TCP = 6;
    private static final int IPPROTO_UDP = 17;
    private static final int IPPROTO_UDPLITE = 136;
    private static final long LOOPBACK = 1;
    /** The driver did not take it; it will be asked again. */
    private static final long NETDEV_TX_BUSY = 0x10;

    /** A call on a socket. TCP's sender holds the socket's lock: whoever sends the next packet, it is that call's or none's. */
    private record Call(int tid, long cookie) {}

    private static final class OpenJourney {
        private final long flow;
        private final int tid;
        private JourneyStop stop;
        private long begin;
        private boolean overLoopback;

        OpenJourney(long flow, int tid, JourneyStop stop, long begin) {
            this.flow = flow;
            this.tid = tid;
            this.stop = stop;
            this.begin = begin;
        }
    }

    private final PacketWriter packets;
    private final Groups groups;
    private final Threads threads;
    private final Words words;
    private final Bounded<Call, OpenJourney> calls = new Bounded<>(MOST);
    private final Bounded<Long, OpenJourney> journeys = new Bounded<>(MOST);
    private final Map<JourneyStop, Lanes> lanes = new EnumMap<>(JourneyStop.class);
    private boolean answers;
    private long flows;
    private long ended;
    private long unwritten;

    /** @param words for reasons to drop a packet */
    JourneyTracks(PacketWriter packets, Groups groups, Threads threads, Words words) {
        this.packets = packets;
        this.groups = groups;
        this.threads = threads;
        this.words = words;
    }

    /** Journeys whose end the trace has: in a program, in a connection, or thrown away. */
    long ended() {
        return ended;
    }

    /** Slices for which there was no track. */
    long unwritten() {
        return unwritten;
    }

    void onRecord(EventType type, RecordFlyweight record, long ns) {
        switch (type) {
            case INET_SENDMSG -> onSocket(record, ns);
            case UDP_SENDMSG, TCP_SENDMSG -> onTransport(record, type == EventType.TCP_SENDMSG, ns);
            case IP_SEND_SKB, IP_QUEUE_XMIT -> onNetwork(record, type == EventType.IP_QUEUE_XMIT, ns);
            case DEV_QUEUE_XMIT -> onDeviceOut(record, JourneyStop.DEVICE_QUEUE, ns);
            case NET_DEV_START_XMIT -> onDeviceOut(record, JourneyStop.DRIVER, ns);
            case NET_DEV_XMIT -> onSent(record, ns);
            case NET_DEV_RECEIVE -> onReceiveQueue(record, ns);
            case NETIF_RECEIVE_SKB -> onDeviceIn(record, ns);
            case IP_LOCAL_DELIVER -> onWayIn(record, JourneyStop.IP_IN, ns);
            case UDP_RCV, TCP_RCV -> onWayIn(record, JourneyStop.TRANSPORT_IN, ns);
            case UDP_ENQUEUE -> onWayIn(record, JourneyStop.SOCKET_QUEUE, ns);
            case SKB_CONSUME_UDP -> onEnd(record, "received by program", ns);
            case TCP_RCV_ESTABLISHED -> onEnd(record, "received by connection", ns);
            default -> onDrop(record, ns);
        }
    }

    /** Any stop of any open journey may be missing. */
    void onLost() {
        calls.clear();
        journeys.clear();
    }

    private void onSocket(RecordFlyweight record, long ns) {
        int protocol = record.payloadU16(Payload.SOCK_PROTOCOL_OFFSET);
        boolean tcp = protocol == IPPROTO_TCP;
        if (tcp || protocol == IPPROTO_UDP || protocol == IPPROTO_UDPLITE) {
            calls.put(call(record, tcp), begin(record, JourneyStop.SOCKET, ns));
        }
    }

    private void onTransport(RecordFlyweight record, boolean tcp, long ns) {
        Call key = call(record, tcp);
        OpenJourney journey = calls.get(key);
        if (journey != null && journey.stop == JourneyStop.SOCKET && journey.tid == threads.tid(record)) {
            step(journey, record, Payload.SOCK_LEN_OFFSET, JourneyStop.TRANSPORT, ns);
        } else {
            calls.put(key, begin(record, JourneyStop.TRANSPORT, ns));
        }
    }

    private void onNetwork(RecordFlyweight record, boolean tcp, long ns) {
        OpenJourney journey = calls.remove(call(record, tcp));
        if (journey == null || journey.stop != JourneyStop.TRANSPORT || journey.tid != threads.tid(record)) {
            journey = begin(record, JourneyStop.IP_OUT, ns);
        } else {
            step(journey, record, Payload.PACKET_LEN_OFFSET, JourneyStop.IP_OUT, ns);
        }
        journeys.put(packet(record), journey);
    }

    /**
     * A device may hand a packet to another one: from a driver it goes to a queue again. Where the trace does not have the
     * drivers' answers it may as well be another packet.
     */
    private void onDeviceOut(RecordFlyweight record, JourneyStop stop, long ns) {
        OpenJourney journey = journeys.get(packet(record));
        boolean further = journey != null
                && journey.stop.isOut()
                && (stop.compareTo(journey.stop) > 0
                        || (answers && journey.stop == JourneyStop.DRIVER && stop == JourneyStop.DEVICE_QUEUE));
        if (journey != null && further) {
            step(journey, record, Payload.PACKET_LEN_OFFSET, stop, ns);
        } else {
            journey = begin(record, stop, ns);
            journeys.put(packet(record), journey);
        }
        journey.overLoopback = record.payloadU32(Payload.PACKET_IFINDEX_OFFSET) == LOOPBACK;
    }

    private void onSent(RecordFlyweight record, long ns) {
        answers = true;
        OpenJourney journey = journeys.get(packet(record));
        if (journey == null || journey.stop != JourneyStop.DRIVER) {
            return;
        }
        if (record.payloadU32(Payload.XMIT_RET_OFFSET) == NETDEV_TX_BUSY) {
            step(journey, record, Payload.XMIT_LEN_OFFSET, JourneyStop.DEVICE_QUEUE, ns);
        } else if (journey.overLoopback) {
            step(journey, record, Payload.XMIT_LEN_OFFSET, JourneyStop.RECEIVE_QUEUE, ns);
        } else {
            step(journey, record, Payload.XMIT_LEN_OFFSET, JourneyStop.END, ns);
            journeys.remove(packet(record));
        }
    }

    private void onReceiveQueue(RecordFlyweight record, long ns) {
        arrive(record, JourneyStop.RECEIVE_QUEUE, record.payloadU32(Payload.DEV_RECEIVE_IFINDEX_OFFSET), ns);
    }

    private void onDeviceIn(RecordFlyweight record, long ns) {
        arrive(record, JourneyStop.DEVICE_IN, record.payloadU32(Payload.PACKET_IFINDEX_OFFSET), ns);
    }

    /** What goes out over a device does not come back by itself, unless it is the loopback device. */
    private void arrive(RecordFlyweight record, JourneyStop stop, long device, long ns) {
        OpenJourney journey = journeys.get(packet(record));
        boolean sameWay = journey != null
                && journey.stop.compareTo(stop) < 0
                && (journey.stop.isOut() ? journey.overLoopback && device == LOOPBACK : true);
        if (journey != null && sameWay) {
            step(journey, record, Payload.PACKET_LEN_OFFSET, stop, ns);
        } else {
            journeys.put(packet(record), begin(record, stop, ns));
        }
    }

    private void onWayIn(RecordFlyweight record, JourneyStop stop, long ns) {
        OpenJourney journey = journeys.get(packet(record));
        if (journey != null && !journey.stop.isOut() && journey.stop.compareTo(stop) < 0) {
            step(journey, record, Payload.PACKET_LEN_OFFSET, stop, ns);
        } else {
            journeys.put(packet(record), begin(record, stop, ns));
        }
    }

    private void onEnd(RecordFlyweight record, String name, long ns) {
        OpenJourney journey = journeys.remove(packet(record));
        if (journey != null && !journey.stop.isOut()) {
            end(journey, record, name, ns);
        }
    }

    private void onDrop(RecordFlyweight record, long ns) {
        int reason = (int) record.payloadU32(Payload.DROP_REASON_OFFSET);
        String word = words.of(WordKind.DROP_REASON, reason);
        String name = "dropped: " + (word == null ? unnamed(reason) : Names.ofBytes(word));
        OpenJourney journey = journeys.remove(packet(record));
        if (journey == null) {
            annotate(record, Payload.DROP_LEN_OFFSET);
            lane(JourneyStop.END).instant(name, ns);
        } else {
            end(journey, record, name, ns);
        }
    }

    /** Each name is kept until the end, and a damaged trace may have any number. */
    private static String unnamed(int reason) {
        return reason >= 0 && reason < MOST_REASONS ? Integer.toString(reason) : "unknown reason";
    }

    private void end(OpenJourney journey, RecordFlyweight record, String name, long ns) {
        ended++;
        step(journey, record, Payload.PACKET_LEN_OFFSET, JourneyStop.END, ns);
        annotate(record, Payload.PACKET_LEN_OFFSET).endingFlow(journey.flow);
        lane(JourneyStop.END).instant(name, ns);
    }

    private OpenJourney begin(RecordFlyweight record, JourneyStop stop, long ns) {
        return new OpenJourney(++flows, threads.tid(record), stop, ns);
    }

    /** The stop where the packet was is over, and another one begins. */
    private void step(OpenJourney journey, RecordFlyweight record, int lengthOffset, JourneyStop stop, long ns) {
        annotate(record, lengthOffset).inFlow(journey.flow);
        unwritten += lane(journey.stop).slice(journey.stop.title(), journey.begin, ns) ? 0 : 1;
        journey.stop = stop;
        journey.begin = ns;
    }

    private Annotations annotate(RecordFlyweight record, int lengthOffset) {
        Annotations annotations = packets.annotations()
                .with("bytes", record.payloadU32(lengthOffset))
                .with("cpu", record.cpu())
                .with("thread", threads.tid(record));
        return record.abstractId() == 0 ? annotations : annotations.with("socket", record.abstractId());
    }

    private Lanes lane(JourneyStop stop) {
        return lanes.computeIfAbsent(stop, each -> groups.lanes(Group.PACKETS, each.title(), each.rank()));
    }

    private Call call(RecordFlyweight record, boolean tcp) {
        return new Call(tcp ? 0 : threads.tid(record), record.abstractId());
    }

    /** All payloads of packets begin with it. */
    private static long packet(RecordFlyweight record) {
        return record.payloadU64(Payload.PACKET_PACKET_ID_OFFSET);
    }
}
