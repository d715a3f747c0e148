// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.OptionalInt;
import java.util.function.IntFunction;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import org.jspecify.annotations.Nullable;

/**
 * Shows each packet once, in the order of their times, where tcpdump sees it: one that goes out when its driver is given
 * it, one that comes in when the kernel gets it from the device, and one of the loopback only when it comes in. A packet waits
 * until its journey has ended, but not for what was logged {@value #PATIENCE_MS} ms later, and not while {@value #HELD_MOST} packets or
 * 32 MiB wait, and not where the timer jumps. Those of other network namespaces are left out, unless all are wanted; one whose
 * namespace is not known, because that record was lost, is taken for one of this. For one thread.
 */
final class PacketCapture implements RecordHandler {
    static final int PATIENCE_MS = 100;

    private static final int HELD_MOST = 8_192;
    private static final long HELD_BYTES_MOST = 32 << 20;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int LOOPBACK = 1;

    /**
     * What is shown.
     *
     * @param expression what rules in the kernel could not decide; null if they did
     * @param snapBytes bytes of each packet that are kept
     * @param device the index of the only device; empty for all
     * @param namespace the inode of the only network namespace; 0 for all
     * @param most packets after which there are enough
     */
    record Settings(@Nullable Expression expression, int snapBytes, OptionalInt device, long namespace, long most) {}

    private final Settings settings;
    private final Journeys journeys;
    private final SeenThreads threads;
    private final IntFunction<String> owners;
    private final PacketSink sink;
    private final PacketFacts facts = new PacketFacts();
    private final Deque<CapturedPacket> held = new ArrayDeque<>();
    private final Deque<CapturedPacket> spare = new ArrayDeque<>();
    private long heldBytes;
    private long shown;
    private long nowNanos;
    private @Nullable IOException failure;

    PacketCapture(
            Settings settings, Journeys journeys, SeenThreads threads, IntFunction<String> owners, PacketSink sink) {
        this.settings = settings;
        this.journeys = journeys;
        this.threads = threads;
        this.owners = owners;
        this.sink = sink;
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        EventType type = EventType.ofId(record.event());
        if (type == null || isDone()) {
            return;
        }
        if (type == EventType.LOST) {
            journeys.onLost(record.cpu());
        } else if (Journeys.POINTS.contains(type)) {
            threads.note(record.tid(), nowNanos);
            onPoint(type, record);
        }
    }

    @Override
    public void onGap(int cpu) {
        journeys.onLost(cpu);
    }

    /** The timers of what waits can be turned into times now, and no more when the clock is the new epoch's. */
    @Override
    public void onNewEpoch(int cpus) {
        releaseAll();
        journeys.forgetAll();
    }

    private void onPoint(EventType type, RecordFlyweight record) {
        switch (type) {
            case INET_SENDMSG, UDP_SENDMSG, TCP_SENDMSG -> journeys.onCall(type, record);
            case IP_SEND_SKB, IP_QUEUE_XMIT -> journeys.onNetwork(type, record);
            case DEV_QUEUE_XMIT -> journeys.onDevice(record);
            case NET_DEV_START_XMIT -> onSent(record);
            case NET_DEV_XMIT -> onAnswer(record);
            case NET_DEV_RECEIVE -> journeys.onHandedUp(record);
            case NETIF_RECEIVE_SKB -> onReceived(record);
            case KFREE_SKB -> journeys.onDrop(record);
            default -> journeys.onLayer(type, record);
        }
    }

    private void onSent(RecordFlyweight record) {
        if (record.payloadU32(Payload.PACKET_IFINDEX_OFFSET) == LOOPBACK) {
            return;
        }
        Journey journey = journeys.onDriver(record);
        if (isWanted(record, true)) {
            journeys.awaitDriver(hold(record, journey));
        }
    }

    private void onReceived(RecordFlyweight record) {
        Journey journey = journeys.onReceive(record);
        if (isWanted(record, false)) {
            CapturedPacket packet = hold(record, journey);
            packet.inNamespace(journey.namespaceOf(packet.ifindex()));
        }
    }

    private void onAnswer(RecordFlyweight record) {
        CapturedPacket packet = journeys.onDriverAnswer(record);
        if (packet != null) {
            packet.inNamespace(record.payloadU32(Payload.XMIT_NETNS_OFFSET));
        }
    }

    private boolean isWanted(RecordFlyweight record, boolean sent) {
        if (settings.device().isPresent()
                && settings.device().getAsInt() != record.payloadU32(Payload.PACKET_IFINDEX_OFFSET)) {
            return false;
        }
        Expression expression = settings.expression();
        if (expression == null) {
            return true;
        }
        int start = record.payloadOffset() + Payload.PACKET.size();
        boolean told = facts.event(sent, record.cpu(), record.tgid(), record.tid())
                .read(
                        record.payloadU16(Payload.PACKET_ETHERTYPE_OFFSET),
                        record.buffer(),
                        start,
                        start + CapturedPacket.capturedOf(record));
        return !told || expression.matches(facts);
    }

    private CapturedPacket hold(RecordFlyweight record, Journey journey) {
        CapturedPacket packet = spare.isEmpty() ? new CapturedPacket() : spare.pop();
        journey.hold();
        packet.take(record, settings.snapBytes(), journey, owners.apply(record.tgid()));
        held.add(packet);
        heldBytes += packet.captured();
        if (held.size() > HELD_MOST || heldBytes > HELD_BYTES_MOST) {
            show(held.remove());
        }
        return packet;
    }

    /**
     * Shows what is complete or has waited long enough, in the order in which it came. A packet waits from the end of the
     * reading that it came with until a reading has begun so much later: what was logged meanwhile has been handed on.
     */
    void release(long begunNanos, long endedNanos) {
        while (!held.isEmpty() && (held.peek().isComplete() || hasWaited(held.peek(), begunNanos))) {
            show(held.remove());
        }
        nowNanos = endedNanos;
        Iterator<CapturedPacket> newestFirst = held.descendingIterator();
        while (newestFirst.hasNext() && newestFirst.next().takeTime(endedNanos)) {
            // All before one that has a time have theirs.
        }
    }

    private static boolean hasWaited(CapturedPacket packet, long begunNanos) {
        return packet.hasTime() && begunNanos - packet.takenNanos() >= PATIENCE_MS * NANOS_PER_MILLI;
    }

    /** Shows all that waits. */
    void releaseAll() {
        while (!held.isEmpty()) {
            show(held.remove());
        }
    }

    private void show(CapturedPacket packet) {
        heldBytes -= packet.captured();
        boolean elsewhere =
                settings.namespace() != 0 && packet.namespace() != 0 && settings.namespace() != packet.namespace();
        if (!isDone() && !elsewhere) {
            try {
                sink.onPacket(packet);
                shown++;
            } catch (IOException e) {
                failure = e;
            }
        }
        journeys.release(packet.journey());
        spare.push(packet);
    }

    /** Whether there were enough packets, or they cannot be shown any more. */
    boolean isDone() {
        return shown >= settings.most() || failure != null;
    }

    /** Packets that wait for the end of their journey. */
    int waiting() {
        return held.size();
    }

    long shown() {
        return shown;
    }

    /** Brings what was shown to where it belongs, or throws what kept it from that. */
    void flush() throws IOException {
        if (failure != null) {
            throw failure;
        }
        sink.flush();
    }
}
