// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.trace.AbiFormat;
import magnet.trace.TraceClock;
import magnet.trace.TraceOwners;
import magnet.trace.TraceWriter;

/**
 * Writes the trace of a node that there is not, in the wide layout. Events of a CPU come in the order of their times. A time is a
 * tick of the timer.
 */
public final class MadeUpNode implements AutoCloseable {
    /** What the wall clock says at tick 0. */
    public static final long BEGIN_NS = 1_795_000_000_000_000_000L;

    private static final int HEADER = 32;
    private static final int BATCH = 1 << 16;

    private final TraceWriter writer;
    private final Map<Integer, ByteBuffer> batches = new TreeMap<>();

    /**
     * Begins one.
     *
     * @param khz ticks of its timer in a millisecond
     */
    public MadeUpNode(Path folder, String host, long khz) throws IOException {
        this(folder, host, khz, BEGIN_NS);
    }

    /**
     * Begins one.
     *
     * @param beginNs what its wall clock says at tick 0
     */
    public MadeUpNode(Path folder, String host, long khz, long beginNs) throws IOException {
        writer = new TraceWriter(
                folder,
                new TraceWriter.Origin(
                        RecordLayout.WIDE, TraceClock.of(false, khz, 0, beginNs), 1, host, "x86_64", Map.of()),
                () -> AbiFormat.lines(RecordLayout.WIDE, Map.of()));
    }

    /** Says what processes are called. */
    public MadeUpNode names(Map<Integer, String> names) throws IOException {
        writer.name(names);
        return this;
    }

    /** Says which cgroups processes are in, and where these are. */
    public MadeUpNode owners(TraceOwners owners) throws IOException {
        writer.own(owners);
        return this;
    }

    /** A thread leaves the CPU for another one. */
    public void onSwitch(int cpu, long at, int leaves, long state, int enters) throws IOException {
        put(EventType.SCHED_SWITCH, cpu, at, leaves, enters, 0)
                .putInt((int) state)
                .putInt(enters);
    }

    /** A thread wakes another one, which is to run on a CPU. */
    public void onWakeup(int cpu, long at, int waker, int woken, int target) throws IOException {
        put(EventType.SCHED_WAKEUP, cpu, at, waker, woken, 0).putInt(target).putInt(woken);
    }

    /** An event without fields. */
    public void onEvent(EventType type, int cpu, long at, int tid, long id) throws IOException {
        put(type, cpu, at, tid, id, 0);
    }

    /** A marker. */
    public void onMarker(int cpu, long at, int tid, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        put(EventType.MARKER, cpu, at, tid, 0, bytes.length)
                .putInt(bytes.length)
                .putInt(0)
                .put(bytes);
    }

    /** Events were lost. */
    public void onLost(int cpu, long first, long at, long count) throws IOException {
        put(EventType.LOST, cpu, at, 0, 0, 0).putLong(count).putLong(first).putLong(at);
    }

    /** A UDP datagram over IPv4 is sent, received, put into a socket or taken out of it. */
    public void onDatagram(EventType type, int cpu, long at, int tid, long socket, Datagram datagram)
            throws IOException {
        byte[] bytes = datagram.bytes();
        put(type, cpu, at, tid, socket, bytes.length)
                .putLong(datagram.number)
                .putInt(bytes.length)
                .putInt(2)
                .putShort((short) 0x800)
                .putShort((short) bytes.length)
                .putInt(bytes.length)
                .put(bytes);
    }

    /**
     * A datagram.
     *
     * @param number its id in the header of IP, and what the kernel calls its buffer
     * @param from the last byte of 10.0.0.x that sends it
     * @param to the same of the one that gets it
     */
    public record Datagram(int number, int from, int to) {
        byte[] bytes() {
            ByteBuffer bytes = ByteBuffer.allocate(60);
            bytes.put((byte) 0x45).put((byte) 0).putShort((short) 60).putShort((short) number);
            bytes.putShort((short) 0x4000).put((byte) 64).put((byte) 17).putShort((short) 0);
            bytes.putInt(0x0a000000 | from).putInt(0x0a000000 | to);
            bytes.putShort((short) 5_000)
                    .putShort((short) 6_000)
                    .putShort((short) 40)
                    .putShort((short) 0);
            return bytes.array();
        }
    }

    private ByteBuffer put(EventType type, int cpu, long at, int tid, long id, int more) throws IOException {
        int size = HEADER + (type.payload().size() + more + RecordFlyweight.ALIGNMENT - 1) / 8 * 8;
        ByteBuffer batch = batches.computeIfAbsent(
                cpu, unused -> ByteBuffer.allocateDirect(BATCH).order(ByteOrder.nativeOrder()));
        if (batch.remaining() < size) {
            flush(cpu, batch);
        }
        int begin = batch.position();
        batch.putInt(size).putShort((short) cpu).putShort((short) type.id());
        batch.putInt(tid).putInt(tid).putLong(id).putLong(at);
        for (int i = batch.position(); i < begin + size; i++) {
            batch.put(i, (byte) 0);
        }
        batch.position(begin + size);
        return batch.duplicate().order(ByteOrder.nativeOrder()).position(begin + HEADER);
    }

    private void flush(int cpu, ByteBuffer batch) throws IOException {
        writer.write(cpu, batch, 0, batch.position());
        batch.clear();
    }

    @Override
    public void close() throws IOException {
        for (Map.Entry<Integer, ByteBuffer> each : batches.entrySet()) {
            flush(each.getKey(), each.getValue());
        }
        writer.close();
    }
}
