// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import magnet.json.Json;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordLayout;
import magnet.trace.AbiFormat;
import magnet.trace.TraceClock;
import magnet.trace.TraceWriter;

/** The folder of a run, with traces of nodes whose clocks are known. Records are in the wide layout. */
final class MadeUpRun {
    static final long BEGIN = 1_795_808_355_000_000_000L;
    private static final long KHZ = 2_500_000;
    /** The timer at {@link #BEGIN}; 2.5 ticks are a nanosecond. */
    private static final long ORIGIN = 25_000_000_000_000L;

    private static final int HEADER = 32;

    final Path folder;
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private int identification;

    MadeUpRun(Path folder) {
        this.folder = folder;
    }

    /** A record: what it is of, when, and what follows the header. */
    private record Made(EventType type, long timer, ByteBuffer payload) {}

    private static final class Node {
        final double slope;
        final long offsetNs;
        final List<Made> records = new ArrayList<>();

        Node(double slope, long offsetNs) {
            this.slope = slope;
            this.offsetNs = offsetNs;
        }

        /** The trace's own clock; the true time counts from {@link #BEGIN} on. */
        long timeNs(double trueNs) {
            return BEGIN + offsetNs + (long) Math.floor(trueNs * slope);
        }

        long timer(double trueNs) {
            return ORIGIN + (timeNs(trueNs) - BEGIN) * 5 / 2;
        }
    }

    /** A node whose trace runs so fast, and is so much ahead. */
    void node(String name, double slope, long offsetNs) {
        nodes.put(name, new Node(slope, offsetNs));
        marker(name, 0);
        marker(name, 10e9);
    }

    /** What a node's trace says at a true time. */
    long timeNs(String node, double trueNs) {
        return nodes.get(node).timeNs(trueNs);
    }

    void marker(String node, double trueNs) {
        Node at = nodes.get(node);
        at.records.add(new Made(
                EventType.MARKER,
                at.timer(trueNs),
                payload(EventType.MARKER.payload().size())));
    }

    /** A CLOCK record; the disciplined clock is right. */
    void clock(String node, double trueNs, int epoch) {
        Node at = nodes.get(node);
        ByteBuffer payload = payload(EventType.CLOCK.payload().size());
        payload.putLong(Payload.CLOCK_REALTIME_NS_OFFSET, BEGIN + (long) trueNs);
        payload.putLong(Payload.CLOCK_MONOTONIC_NS_OFFSET, 77_000_000_000L + (long) trueNs);
        payload.putInt(Payload.CLOCK_EPOCH_OFFSET, epoch);
        at.records.add(new Made(EventType.CLOCK, at.timer(trueNs), payload));
    }

    /** A datagram from one node to another. */
    void datagram(String from, String to, double sentNs, double delayNs) {
        byte[] packet = packet(from, to);
        packet(from, EventType.NET_DEV_START_XMIT, sentNs, packet);
        packet(to, EventType.NETIF_RECEIVE_SKB, sentNs + delayNs, packet);
    }

    private byte[] packet(String from, String to) {
        identification++;
        ByteBuffer packet = ByteBuffer.allocate(60);
        packet.put(0, (byte) 0x45).putShort(2, (short) 60).putShort(4, (short) identification);
        packet.put(9, (byte) 17).putInt(12, address(from)).putInt(16, address(to));
        packet.putShort(20, (short) 5000).putShort(22, (short) 7).putShort(24, (short) 40);
        packet.putInt(28, identification);
        return packet.array();
    }

    private int address(String node) {
        return 10 << 24 | 9 << 16 | 8 << 8 | (new ArrayList<>(nodes.keySet()).indexOf(node) + 1);
    }

    void packet(String node, EventType type, double trueNs, byte[] packet) {
        Node at = nodes.get(node);
        int size = Payload.PACKET.size();
        ByteBuffer payload = payload(size + (packet.length + 7) / 8 * 8);
        payload.putInt(Payload.PACKET_LEN_OFFSET, packet.length + 14);
        payload.putInt(Payload.PACKET_IFINDEX_OFFSET, 2);
        payload.putShort(Payload.PACKET_ETHERTYPE_OFFSET, (short) 0x800);
        payload.putShort(Payload.PACKET_CAPTURED_OFFSET, (short) packet.length);
        payload.putInt(Payload.PACKET_NETWORK_LEN_OFFSET, packet.length);
        payload.put(size, packet);
        at.records.add(new Made(type, at.timer(trueNs), payload));
    }

    private static ByteBuffer payload(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
    }

    /** Writes all traces, in parts of so many seconds. */
    void write() throws IOException {
        for (String name : nodes.keySet()) {
            write(name, 4);
        }
    }

    private void write(String name, int seconds) throws IOException {
        Node node = nodes.get(name);
        node.records.sort(Comparator.comparingLong(Made::timer));
        TraceClock clock = TraceClock.of(false, KHZ, ORIGIN, BEGIN);
        ByteBuffer batch = ByteBuffer.allocateDirect(1 << 22).order(ByteOrder.nativeOrder());
        int next = 0;
        for (int part = 1; next < node.records.size(); part++) {
            long until = node.timer(part * seconds * 1e9);
            TraceWriter.Origin origin = new TraceWriter.Origin(RecordLayout.WIDE, clock, 1, name, "x86_64", Map.of());
            try (TraceWriter writer = new TraceWriter(
                    folder.resolve(name).resolve("%06d".formatted(part)),
                    origin,
                    () -> AbiFormat.lines(RecordLayout.WIDE, Map.of()))) {
                batch.clear();
                while (next < node.records.size() && node.records.get(next).timer() < until) {
                    put(batch, node.records.get(next++));
                    if (batch.position() > 60_000) {
                        writer.write(0, batch, 0, batch.position());
                        batch.clear();
                    }
                }
                writer.write(0, batch, 0, batch.position());
            }
        }
    }

    private static void put(ByteBuffer batch, Made made) {
        int size = HEADER + (made.payload().capacity() + 7) / 8 * 8;
        int at = batch.position();
        for (int i = 0; i < size; i += Long.BYTES) {
            batch.putLong(at + i, 0);
        }
        batch.putInt(at, size).putShort(at + 6, (short) made.type().id());
        batch.putInt(at + 8, 1).putInt(at + 12, 1).putLong(at + 24, made.timer());
        batch.put(at + HEADER, made.payload(), 0, made.payload().capacity());
        batch.position(at + size);
    }

    /** What a node says of its recording. */
    void says(String node, String run, boolean synchronised, double ppm) throws IOException {
        Map<String, Object> clock = Map.of(
                "synchronised", synchronised, "max_error_us", 500, "estimated_error_us", 5, "frequency_ppm", ppm);
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("id", run + "000000000000000000000000");
        all.put("profile", "default");
        all.put("state", "done");
        for (String key : List.of("at_ns", "duration_ns", "end_ns", "opened_ns", "cpu_ns", "written_ns")) {
            all.put(key, Long.toString(BEGIN));
        }
        for (String key : List.of("events", "lost", "bytes", "parts")) {
            all.put(key, 1);
        }
        all.put("clock_at_begin", clock);
        all.put("clock_at_end", clock);
        all.put("gaps", List.of());
        all.put("reason", "");
        Files.writeString(folder.resolve(node + ".json"), Json.of(all));
    }
}
