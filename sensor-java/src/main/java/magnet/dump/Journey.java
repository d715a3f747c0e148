// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.util.function.IntFunction;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;

/**
 * The way of one packet through the layers: what saw it, when, on which CPU and in which thread's context. It is used again
 * for another packet when nobody holds it any more. For one thread.
 */
final class Journey {
    /** Steps that are kept; what comes after them is counted. */
    static final int STEPS_MAX = 24;
    /** No reason: the packet was not dropped. */
    static final int NOT_DROPPED = -1;

    private final EventType[] points = new EventType[STEPS_MAX];
    private final long[] timers = new long[STEPS_MAX];
    private final int[] cpus = new int[STEPS_MAX];
    private final int[] processes = new int[STEPS_MAX];
    private final int[] threads = new int[STEPS_MAX];
    private final String[] owners = new String[STEPS_MAX];
    private final IntFunction<String> ownerNow;
    private long number;
    private long packetId;
    private int size;
    private int further;
    private int dropReason;
    private boolean ended;
    private int holders;
    private int device;
    private long namespace;
    private boolean internet;

    /** @param ownerNow whose a process is; empty if that is not known */
    Journey(IntFunction<String> ownerNow) {
        this.ownerNow = ownerNow;
        begin(0, 0);
    }

    /** Forgets the packet before. */
    Journey begin(long newNumber, long newPacketId) {
        number = newNumber;
        packetId = newPacketId;
        size = 0;
        further = 0;
        dropReason = NOT_DROPPED;
        ended = false;
        holders = 0;
        device = 0;
        namespace = 0;
        internet = false;
        return this;
    }

    /** From 1 on, for each packet another one. */
    long number() {
        return number;
    }

    /** What the kernel's records call it; another packet's later. */
    long packetId() {
        return packetId;
    }

    void add(EventType point, RecordFlyweight record) {
        add(point, record.timer(), record.cpu(), record.tgid(), record.tid());
    }

    void add(EventType point, long timer, int cpu, int process, int thread) {
        if (size == STEPS_MAX) {
            further++;
            return;
        }
        points[size] = point;
        timers[size] = timer;
        cpus[size] = cpu;
        processes[size] = process;
        threads[size] = thread;
        owners[size] = ownerNow.apply(process);
        size++;
    }

    int size() {
        return size;
    }

    /** Steps that there was no room for. */
    int further() {
        return further;
    }

    EventType point(int step) {
        return points[step];
    }

    long timer(int step) {
        return timers[step];
    }

    int cpu(int step) {
        return cpus[step];
    }

    int process(int step) {
        return processes[step];
    }

    int thread(int step) {
        return threads[step];
    }

    /** Whose the process was then; empty if that was not known. */
    String owner(int step) {
        return owners[step];
    }

    /** It came from a device of this namespace. */
    void comesFrom(int ifindex, long inode) {
        device = ifindex;
        namespace = inode;
    }

    /** The namespace of the device that it came from, if it was this one; else 0. */
    long namespaceOf(int ifindex) {
        return device == ifindex ? namespace : 0;
    }

    /** What it was when it came: IPv4 or IPv6, from this device. */
    void arrives(int ifindex, boolean isInternet) {
        namespace = namespaceOf(ifindex);
        device = ifindex;
        internet = isInternet;
    }

    /**
     * Whether it can be on its way from one device to the next as of an event: it has just come in on this CPU, and IP has
     * not found it to be for this node.
     */
    boolean passesThrough(RecordFlyweight record, long mostTicks) {
        int last = size - 1;
        return endsWith(EventType.NETIF_RECEIVE_SKB)
                && internet
                && cpus[last] == record.cpu()
                && record.timer() - timers[last] < mostTicks;
    }

    /** Whether a driver has just handed it up; the answer of the one that was given it may come in between. */
    boolean wasHandedUp() {
        return endsWith(EventType.NET_DEV_RECEIVE)
                || (endsWith(EventType.NET_DEV_XMIT) && size > 1 && points[size - 2] == EventType.NET_DEV_RECEIVE);
    }

    int device() {
        return device;
    }

    boolean endsWith(EventType point) {
        return size > 0 && points[size - 1] == point;
    }

    /** No more can come. */
    void end() {
        ended = true;
    }

    void drop(int reason) {
        dropReason = reason;
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    /** The kernel's number of the reason, or {@link #NOT_DROPPED}. */
    int dropReason() {
        return dropReason;
    }

    void hold() {
        holders++;
    }

    /** Returns whether nobody holds it any more. */
    boolean release() {
        return --holders == 0;
    }
}
