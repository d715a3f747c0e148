// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.util.ArrayList;
import java.util.List;
import magnet.record.EventType;
import org.jspecify.annotations.Nullable;

/**
 * Counters of what happened in each tenth of a second: a value stands where its tenth begins, and holds until the next one.
 * For one thread.
 */
final class Rates {
    static final long SLOT_NS = 100_000_000;
    private static final long SLOTS_PER_SECOND = 10;

    /** A counter and what it has in this slot; written when it was anything, and once when it is nothing again. */
    private final class Series {
        private final String name;
        private final String unit;
        private final long factor;
        private long track;
        private long sum;
        private long written;

        Series(String name, String unit, long factor) {
            this.name = name;
            this.unit = unit;
            this.factor = factor;
        }

        void write(long ns) {
            if (sum != 0 || written != 0) {
                if (track == 0) {
                    track = packets.counterTrack(name, groups.track(Group.COUNTERS), unit);
                }
                packets.counter(track, ns, sum * factor);
                written = sum;
                sum = 0;
            }
        }
    }

    private final PacketWriter packets;
    private final Groups groups;
    private final List<Series> all = new ArrayList<>();
    private final List<@Nullable Series> events = new ArrayList<>();
    private final List<@Nullable Series> waits = new ArrayList<>();
    private final Series received = series("packets/s from devices", "packets/s", SLOTS_PER_SECOND);
    private final Series sent = series("packets/s to devices", "packets/s", SLOTS_PER_SECOND);
    private final Series faults = series("page faults/s", "faults/s", SLOTS_PER_SECOND);
    private long slotNs = -1;

    Rates(PacketWriter packets, Groups groups) {
        this.packets = packets;
        this.groups = groups;
    }

    /** An event, as it comes in the order of time. */
    void onEvent(int cpu, @Nullable EventType type, long ns) {
        goTo(ns);
        perCpu(events, cpu, "events/s, CPU ", "events/s", SLOTS_PER_SECOND).sum++;
        if (type == EventType.NETIF_RECEIVE_SKB) {
            received.sum++;
        } else if (type == EventType.DEV_QUEUE_XMIT) {
            sent.sum++;
        } else if (type == EventType.PAGE_FAULT_USER || type == EventType.PAGE_FAULT_KERNEL) {
            faults.sum++;
        }
    }

    /** A thread got this CPU after waiting for one. */
    void waited(int cpu, long ns) {
        Series series = perCpu(waits, cpu, "longest run-queue wait, CPU ", "ns", 1);
        series.sum = Math.max(series.sum, ns);
    }

    /** The last slot is as full as it will be. */
    void finish() {
        if (slotNs >= 0) {
            writeAll();
        }
    }

    private void goTo(long ns) {
        if (slotNs < 0) {
            slotNs = ns;
        }
        long slots = (ns - slotNs) / SLOT_NS;
        if (slots > 0) {
            writeAll();
            if (slots > 1) {
                slotNs += SLOT_NS;
                writeAll();
                slots--;
            }
            slotNs += slots * SLOT_NS;
        }
    }

    private void writeAll() {
        for (Series series : all) {
            series.write(slotNs);
        }
    }

    private Series perCpu(List<@Nullable Series> list, int cpu, String name, String unit, long factor) {
        while (list.size() <= cpu) {
            list.add(null);
        }
        Series series = list.get(cpu);
        if (series == null) {
            series = series(name + cpu, unit, factor);
            list.set(cpu, series);
        }
        return series;
    }

    private Series series(String name, String unit, long factor) {
        Series series = new Series(name, unit, factor);
        all.add(series);
        return series;
    }
}
