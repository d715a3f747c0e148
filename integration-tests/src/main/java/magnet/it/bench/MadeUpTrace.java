// SPDX-License-Identifier: Apache-2.0
package magnet.it.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.PayloadField;
import magnet.record.RecordLayout;
import magnet.trace.TraceClock;
import magnet.trace.TraceWriter;

/**
 * Writes a trace of a machine that is busy in all its parts: two CPUs, forty threads, twenty kinds of events. The same one
 * each time.
 */
public final class MadeUpTrace {
    private static final int CPUS = 2;
    private static final int THREADS = 40;
    private static final int PACKET_BYTES = 64 * 1024;
    private static final long TICKS_PER_MILLI = 2_500_000;
    private static final int TICKS_BETWEEN = 5_000;
    private static final long BEGIN_NS = 1_790_000_000_000_000_000L;
    private static final int HEADER = RecordLayout.WIDE.headerSize();

    /** What happens, and how often beside the others. */
    private static final List<EventType> MIX = List.of(
            EventType.SCHED_SWITCH,
            EventType.SCHED_SWITCH,
            EventType.SCHED_SWITCH,
            EventType.SCHED_SWITCH,
            EventType.SCHED_WAKEUP,
            EventType.SCHED_WAKEUP,
            EventType.SYS_ENTER,
            EventType.SYS_EXIT,
            EventType.INET_SENDMSG,
            EventType.UDP_SENDMSG,
            EventType.IP_SEND_SKB,
            EventType.DEV_QUEUE_XMIT,
            EventType.NETIF_RECEIVE_SKB,
            EventType.IP_LOCAL_DELIVER,
            EventType.UDP_RCV,
            EventType.SKB_CONSUME_UDP,
            EventType.IRQ_HANDLER_ENTRY,
            EventType.IRQ_HANDLER_EXIT,
            EventType.SOFTIRQ_ENTRY,
            EventType.SOFTIRQ_EXIT,
            EventType.PAGE_FAULT_USER,
            EventType.BLOCK_RQ_ISSUE,
            EventType.BLOCK_RQ_COMPLETE,
            EventType.TCP_RCV);

    private final Random random = new Random(1);
    private final ByteBuffer[] packets = new ByteBuffer[CPUS];
    private final int[] running = new int[CPUS];
    private long timer;

    private MadeUpTrace() {
        for (int cpu = 0; cpu < CPUS; cpu++) {
            packets[cpu] = ByteBuffer.allocateDirect(2 * PACKET_BYTES).order(ByteOrder.nativeOrder());
        }
    }

    /** {@code FOLDER EVENTS}: writes so many events in a folder that is made. */
    public static void main(String[] args) throws IOException {
        new MadeUpTrace().write(Path.of(args[0]), Long.parseLong(args[1]));
    }

    private void write(Path folder, long events) throws IOException {
        TraceClock clock = TraceClock.of(false, TICKS_PER_MILLI, 0, BEGIN_NS);
        TraceWriter.Origin origin = new TraceWriter.Origin(RecordLayout.WIDE, clock, 1, "bench", "x86_64", Map.of());
        try (TraceWriter trace = new TraceWriter(folder, origin, MadeUpTrace::format)) {
            for (long i = 0; i < events; i++) {
                int cpu = random.nextInt(CPUS);
                timer += 1 + random.nextInt(TICKS_BETWEEN);
                append(cpu, MIX.get(random.nextInt(MIX.size())));
                if (packets[cpu].position() >= PACKET_BYTES) {
                    flush(trace, cpu);
                }
            }
            for (int cpu = 0; cpu < CPUS; cpu++) {
                flush(trace, cpu);
            }
        }
    }

    private void flush(TraceWriter trace, int cpu) throws IOException {
        trace.write(cpu, packets[cpu], 0, packets[cpu].position());
        packets[cpu].clear();
    }

    private void append(int cpu, EventType type) {
        ByteBuffer to = packets[cpu];
        int start = to.position();
        int thread = running[cpu];
        int other = random.nextInt(THREADS);
        int size = HEADER + type.payload().size();
        to.putInt(size).putShort((short) cpu).putShort((short) type.id());
        to.putInt(thread / 2).putInt(thread).putLong(other).putLong(timer);
        while (to.position() < start + size) {
            to.putLong(0);
        }
        if (type == EventType.SCHED_SWITCH) {
            to.putInt(start + HEADER + Payload.SCHED_SWITCH_PREV_STATE_OFFSET, other % 2);
            running[cpu] = other;
        }
    }

    /** As {@code control/format} has it. */
    private static List<String> format() {
        List<String> lines = new ArrayList<>(List.of("layout wide"));
        for (EventType type : EventType.values()) {
            StringBuilder line = new StringBuilder(String.format(
                    Locale.ROOT,
                    "event 0x%03x %s %s size %d abstract_id %s fields",
                    type.id(),
                    type.label(),
                    type.subsystem().label(),
                    HEADER + type.payload().size(),
                    type.abstractId()));
            for (PayloadField field : type.fields()) {
                line.append(' ').append(field.name()).append(":u");
                line.append(field.type().size() * Byte.SIZE).append('@').append(HEADER + field.offset());
            }
            lines.add(line.toString());
        }
        return lines;
    }
}
