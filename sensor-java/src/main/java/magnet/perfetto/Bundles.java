// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Events that Perfetto knows from the kernel's own tracer, bundled by CPU: from these it makes its tracks of CPUs and of
 * what threads do, its names of system calls and interrupts, and its tables of the scheduler. For one thread.
 */
final class Bundles {
    private static final int BYTES_MAX = 1 << 14;

    /** A bundle that is not yet written. */
    private static final class Bundle {
        private final ProtoWriter events = new ProtoWriter();
        private boolean lost;
    }

    private final PacketWriter packets;
    private final SortedMap<Integer, Bundle> bundles = new TreeMap<>();
    private Bundle current = new Bundle();
    private int currentCpu;

    Bundles(PacketWriter packets) {
        this.packets = packets;
    }

    /**
     * Begins an event; the fields of the kernel's event follow.
     *
     * @param tid thread in whose context it happened
     * @param field of the kernel's event
     */
    ProtoWriter begin(int cpu, long ns, int tid, int field) {
        current = bundle(cpu);
        currentCpu = cpu;
        ProtoWriter events = current.events;
        events.begin(Schema.BUNDLE_EVENT);
        events.number(Schema.FTRACE_TIMESTAMP, ns);
        events.number(Schema.FTRACE_PID, tid);
        events.begin(field);
        return events;
    }

    void end() {
        current.events.end();
        current.events.end();
        if (current.events.size() >= BYTES_MAX) {
            write(currentCpu, current);
        }
    }

    /** Events of this CPU were lost by now. */
    void lost(int cpu) {
        bundle(cpu).lost = true;
    }

    void flush() {
        bundles.forEach(this::write);
    }

    private Bundle bundle(int cpu) {
        return bundles.computeIfAbsent(cpu, key -> new Bundle());
    }

    private void write(int cpu, Bundle bundle) {
        if (bundle.events.size() == 0 && !bundle.lost) {
            return;
        }
        ProtoWriter packet = packets.begin();
        packet.begin(Schema.PACKET_FTRACE_EVENTS);
        packet.number(Schema.BUNDLE_CPU, cpu);
        packet.fields(bundle.events);
        if (bundle.lost) {
            packet.number(Schema.BUNDLE_LOST_EVENTS, 1);
        }
        packet.end();
        packets.end();
        bundle.events.clear();
        bundle.lost = false;
    }
}
