// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.summary.OpenIntervals;
import org.jspecify.annotations.Nullable;

/**
 * Joins what the points tell of packets. The keys are those of the journeys in {@code magnet.summary}: a call that sends has a
 * thread and a socket's cookie, and ends with the first packet that IP gets of it; from there on the packet's id joins, as
 * long as the kernel carries the same buffer.
 *
 * <p>Ids are hashes of buffers' addresses, which the kernel uses again. So a journey ends with a drop, with the program or the
 * connection that got the packet, and where a packet is new: handed to IP, or handed up by a driver. What a driver hands up
 * while it is being given that very packet is no new one: the loopback and veth do so, and the journey goes on at the
 * other side. Of IP's packets that came in and
 * were not found to be for this node, what goes on on the same CPU, within a millisecond, is forwarded.
 *
 * <p>Memory is bounded: {@value #MOST} journeys; the oldest gives way. For one thread.
 */
final class Journeys {
    /** Every point that tells of a journey. */
    static final Set<EventType> POINTS = EnumSet.of(
            EventType.INET_SENDMSG,
            EventType.UDP_SENDMSG,
            EventType.TCP_SENDMSG,
            EventType.IP_SEND_SKB,
            EventType.IP_QUEUE_XMIT,
            EventType.DEV_QUEUE_XMIT,
            EventType.NET_DEV_START_XMIT,
            EventType.NET_DEV_XMIT,
            EventType.NET_DEV_RECEIVE,
            EventType.NETIF_RECEIVE_SKB,
            EventType.IP_LOCAL_DELIVER,
            EventType.UDP_RCV,
            EventType.UDP_ENQUEUE,
            EventType.SKB_CONSUME_UDP,
            EventType.TCP_RCV,
            EventType.TCP_RCV_ESTABLISHED,
            EventType.KFREE_SKB);

    private static final int MOST = 16_384;
    private static final int CALLS = 4_096;
    private static final int LOOPBACK = 1;
    /** Packets that a driver is being given on a CPU, one inside the other: stacked devices. */
    private static final int DRIVERS_DEEP = 16;

    private static final int AT_SOCKET = 1;
    private static final int AT_UDP = 2;
    private static final int AT_TCP = 3;
    /** Added when the call's begin at the socket is known. */
    private static final int FROM_SOCKET = 8;

    private final long forwardTicks;
    private final IntFunction<String> owners;
    private final OpenIntervals calls = new OpenIntervals(CALLS);
    private final Map<Long, Journey> open = new HashMap<>();
    private final Deque<Journey> oldest = new ArrayDeque<>();
    private final Deque<Journey> spare = new ArrayDeque<>();
    private Driver[] drivers = {};
    private long number;

    /** What a CPU is handing to drivers at the moment. */
    private static final class Driver {
        private final CapturedPacket[] packets = new CapturedPacket[DRIVERS_DEEP];
        private final long[] ids = new long[DRIVERS_DEEP];
        private int depth;
    }

    /**
     * None has begun.
     *
     * @param ticksPerMilli of the records' timers
     * @param owners whose a process is, as of the record that is handed over; empty if that is not known
     */
    Journeys(long ticksPerMilli, IntFunction<String> owners) {
        forwardTicks = ticksPerMilli;
        this.owners = owners;
    }

    /** A program's call; which packet it becomes is not known yet. */
    void onCall(EventType point, RecordFlyweight record) {
        long thread = record.tid();
        long cookie = record.abstractId();
        if (point == EventType.INET_SENDMSG) {
            calls.note(calls.open(thread, cookie, record.timer(), AT_SOCKET | FROM_SOCKET), record.cpu());
            return;
        }
        int transport = point == EventType.UDP_SENDMSG ? AT_UDP : AT_TCP;
        int place = calls.find(thread, cookie);
        if (place != OpenIntervals.NONE && calls.stage(place) == (AT_SOCKET | FROM_SOCKET)) {
            calls.note(place, calls.note(place) | ((long) record.cpu() << Integer.SIZE));
            calls.step(place, record.timer(), transport | FROM_SOCKET);
        } else {
            calls.note(calls.open(thread, cookie, record.timer(), transport), (long) record.cpu() << Integer.SIZE);
        }
    }

    /** IP gets a packet: a new one. */
    void onNetwork(EventType point, RecordFlyweight record) {
        Journey journey = begin(record.payloadU64(Payload.PACKET_PACKET_ID_OFFSET));
        int place = calls.find(record.tid(), record.abstractId());
        if (place != OpenIntervals.NONE) {
            addCall(journey, place, record);
            calls.close(place);
        }
        journey.add(point, record);
    }

    private void addCall(Journey journey, int place, RecordFlyweight record) {
        int stage = calls.stage(place);
        long cpus = calls.note(place);
        if ((stage & FROM_SOCKET) != 0) {
            journey.add(EventType.INET_SENDMSG, calls.begin(place), (int) cpus, record.tgid(), record.tid());
        }
        if ((stage & ~FROM_SOCKET) != AT_SOCKET) {
            EventType transport = (stage & ~FROM_SOCKET) == AT_UDP ? EventType.UDP_SENDMSG : EventType.TCP_SENDMSG;
            journey.add(transport, calls.last(place), (int) (cpus >>> Integer.SIZE), record.tgid(), record.tid());
        }
    }

    /** A packet goes to a device. */
    void onDevice(RecordFlyweight record) {
        long id = record.payloadU64(Payload.PACKET_PACKET_ID_OFFSET);
        Journey journey = open.get(id);
        if (journey == null || journey.hasEnded() || !goesOnToDevice(journey, record)) {
            journey = begin(id);
        }
        journey.add(EventType.DEV_QUEUE_XMIT, record);
    }

    private boolean goesOnToDevice(Journey journey, RecordFlyweight record) {
        if (journey.endsWith(EventType.NETIF_RECEIVE_SKB)) {
            return record.abstractId() == 0 && journey.passesThrough(record, forwardTicks);
        }
        if (journey.endsWith(EventType.NET_DEV_START_XMIT)) {
            return isInDriver(record.cpu(), journey.packetId());
        }
        return isOnItsWayOut(journey);
    }

    private static boolean isOnItsWayOut(Journey journey) {
        return journey.endsWith(EventType.DEV_QUEUE_XMIT)
                || journey.endsWith(EventType.IP_SEND_SKB)
                || journey.endsWith(EventType.IP_QUEUE_XMIT);
    }

    /** The journey of a packet that a driver is given, as seen up to there. */
    Journey onDriver(RecordFlyweight record) {
        long id = record.payloadU64(Payload.PACKET_PACKET_ID_OFFSET);
        Journey journey = open.get(id);
        if (journey == null || journey.hasEnded() || !isOnItsWayOut(journey)) {
            journey = begin(id);
        }
        journey.add(EventType.NET_DEV_START_XMIT, record);
        return journey;
    }

    /** What was just given to a driver is shown, and waits for the driver's answer. */
    void awaitDriver(CapturedPacket packet) {
        Driver driver = driver(packet.cpu());
        if (driver.depth == DRIVERS_DEEP) {
            // The answers of all but this one were lost.
            driver.depth = 0;
        }
        driver.packets[driver.depth] = packet;
        driver.ids[driver.depth] = packet.journey().packetId();
        driver.depth++;
    }

    /** The packet that a driver has answered about; null if it is none of those that are shown. */
    @Nullable
    CapturedPacket onDriverAnswer(RecordFlyweight record) {
        Driver driver = driver(record.cpu());
        long id = record.payloadU64(Payload.XMIT_PACKET_ID_OFFSET);
        int at = driver.depth - 1;
        while (at >= 0 && driver.ids[at] != id) {
            at--;
        }
        if (at < 0) {
            return null;
        }
        driver.depth = at;
        CapturedPacket packet = driver.packets[at];
        if (packet.journey().packetId() != id) {
            return null;
        }
        packet.journey().add(EventType.NET_DEV_XMIT, record);
        return packet;
    }

    /** A driver hands up a packet. */
    void onHandedUp(RecordFlyweight record) {
        long id = record.payloadU64(Payload.DEV_RECEIVE_PACKET_ID_OFFSET);
        Journey journey = open.get(id);
        boolean same = record.payloadU32(Payload.DEV_RECEIVE_IFINDEX_OFFSET) == LOOPBACK
                || isInDriver(record.cpu(), id)
                || passesOn(journey, record);
        if (journey == null || journey.hasEnded() || !same) {
            journey = begin(id);
        }
        journey.comesFrom(
                (int) record.payloadU32(Payload.DEV_RECEIVE_IFINDEX_OFFSET),
                record.payloadU32(Payload.DEV_RECEIVE_NETNS_OFFSET));
        journey.add(EventType.NET_DEV_RECEIVE, record);
    }

    /** From a bridge's port to the bridge, or the like. */
    private boolean passesOn(@Nullable Journey journey, RecordFlyweight record) {
        return journey != null
                && journey.device() != record.payloadU32(Payload.DEV_RECEIVE_IFINDEX_OFFSET)
                && journey.passesThrough(record, forwardTicks);
    }

    /** The journey of a packet that the kernel gets from a device, as seen up to there. */
    Journey onReceive(RecordFlyweight record) {
        long id = record.payloadU64(Payload.PACKET_PACKET_ID_OFFSET);
        Journey journey = open.get(id);
        if (journey == null || journey.hasEnded() || !journey.wasHandedUp()) {
            journey = begin(id);
        }
        int ethertype = record.payloadU16(Payload.PACKET_ETHERTYPE_OFFSET);
        journey.arrives(
                (int) record.payloadU32(Payload.PACKET_IFINDEX_OFFSET),
                ethertype == Ethertype.IPV4 || ethertype == Ethertype.IPV6);
        journey.add(EventType.NETIF_RECEIVE_SKB, record);
        return journey;
    }

    /** A layer above the device gets a packet. */
    void onLayer(EventType point, RecordFlyweight record) {
        Journey journey = open.get(record.payloadU64(Payload.PACKET_PACKET_ID_OFFSET));
        if (journey != null && !journey.hasEnded()) {
            journey.add(point, record);
            if (point == EventType.SKB_CONSUME_UDP || point == EventType.TCP_RCV_ESTABLISHED) {
                journey.end();
            }
        }
    }

    /** A packet is thrown away. */
    void onDrop(RecordFlyweight record) {
        Journey journey = open.get(record.payloadU64(Payload.DROP_PACKET_ID_OFFSET));
        if (journey != null && !journey.hasEnded()) {
            journey.add(EventType.KFREE_SKB, record);
            journey.drop((int) record.payloadU32(Payload.DROP_REASON_OFFSET));
        }
    }

    /** Something was lost: what is being handed to drivers is not known any more. */
    void onLost(int cpu) {
        driver(cpu).depth = 0;
    }

    /** The timer jumped: what has begun does not go on. */
    void forgetAll() {
        for (Driver driver : drivers) {
            driver.depth = 0;
        }
        calls.closeAll();
        while (!oldest.isEmpty()) {
            forget(oldest.remove());
        }
    }

    /** Whoever held it does not any more. */
    void release(Journey journey) {
        if (journey.release()) {
            spare.push(journey);
        }
    }

    private boolean isInDriver(int cpu, long id) {
        Driver driver = driver(cpu);
        for (int i = 0; i < driver.depth; i++) {
            if (driver.ids[i] == id) {
                return true;
            }
        }
        return false;
    }

    private Driver driver(int cpu) {
        if (cpu >= drivers.length) {
            int before = drivers.length;
            drivers = Arrays.copyOf(drivers, Math.max(cpu + 1, 2 * before));
            for (int i = before; i < drivers.length; i++) {
                drivers[i] = new Driver();
            }
        }
        return drivers[cpu];
    }

    private Journey begin(long id) {
        if (oldest.size() == MOST) {
            forget(oldest.remove());
        }
        Journey journey = spare.isEmpty() ? new Journey(owners) : spare.pop();
        journey.begin(++number, id);
        journey.hold();
        open.put(id, journey);
        oldest.add(journey);
        return journey;
    }

    private void forget(Journey journey) {
        open.remove(journey.packetId(), journey);
        release(journey);
    }
}
