// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.util.Arrays;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * Handlers of hard and soft interrupts: on a CPU at most one of each is under way. Those whose begin and end the trace has
 * are written, as the kernel's own tracer tells them. For one thread.
 */
final class InterruptTracks {
    /** Perfetto knows these, as the kernel does. */
    private static final int VECTORS = 10;

    private static final long NONE = -1;

    /** Handlers of one kind: when they began, by CPU, and of which interrupt. */
    private static final class Open {
        private long[] begins = {};
        private long[] numbers = {};

        void begin(int cpu, long number, long ns) {
            int before = begins.length;
            if (cpu >= before) {
                int length = Math.max(cpu + 1, 2 * before);
                begins = Arrays.copyOf(begins, length);
                Arrays.fill(begins, before, length, NONE);
                numbers = Arrays.copyOf(numbers, length);
            }
            begins[cpu] = ns;
            numbers[cpu] = number;
        }

        /** When the handler that ends began. */
        long end(int cpu, long number) {
            long begin = cpu < begins.length && numbers[cpu] == number ? begins[cpu] : NONE;
            forget(cpu);
            return begin;
        }

        void forget(int cpu) {
            if (cpu < begins.length) {
                begins[cpu] = NONE;
            }
        }
    }

    private final Bundles bundles;
    private final Open hard = new Open();
    private final Open soft = new Open();

    InterruptTracks(Bundles bundles) {
        this.bundles = bundles;
    }

    void onRecord(EventType type, RecordFlyweight record, int tid, long ns) {
        int cpu = record.cpu();
        long number = record.abstractId();
        switch (type) {
            case IRQ_HANDLER_ENTRY -> hard.begin(cpu, number, ns);
            case SOFTIRQ_ENTRY -> soft.begin(cpu, number, ns);
            case IRQ_HANDLER_EXIT -> onHardExit(record, tid, ns);
            default -> onSoftExit(cpu, number, tid, ns);
        }
    }

    void onLost(int cpu) {
        hard.forget(cpu);
        soft.forget(cpu);
    }

    private void onHardExit(RecordFlyweight record, int tid, long ns) {
        int cpu = record.cpu();
        long begin = hard.end(cpu, record.abstractId());
        if (begin == NONE) {
            return;
        }
        ProtoWriter entry = bundles.begin(cpu, begin, tid, Schema.FTRACE_IRQ_ENTRY);
        entry.number(Schema.IRQ_NUMBER, record.abstractId());
        entry.text(Schema.IRQ_NAME, Long.toString(record.abstractId()));
        bundles.end();
        ProtoWriter exit = bundles.begin(cpu, ns, tid, Schema.FTRACE_IRQ_EXIT);
        exit.number(Schema.IRQ_NUMBER, record.abstractId());
        exit.number(Schema.IRQ_RET, record.payloadU32(Payload.IRQ_EXIT_RET_OFFSET));
        bundles.end();
    }

    private void onSoftExit(int cpu, long vector, int tid, long ns) {
        long begin = soft.end(cpu, vector);
        if (begin == NONE || vector < 0 || vector >= VECTORS) {
            return;
        }
        bundles.begin(cpu, begin, tid, Schema.FTRACE_SOFTIRQ_ENTRY).number(Schema.SOFTIRQ_VECTOR, vector);
        bundles.end();
        bundles.begin(cpu, ns, tid, Schema.FTRACE_SOFTIRQ_EXIT).number(Schema.SOFTIRQ_VECTOR, vector);
        bundles.end();
    }
}
