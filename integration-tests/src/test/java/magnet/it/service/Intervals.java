// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import magnet.it.service.Interval.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Measures the times in a stream of records anew, after what docs/metrics.md says of them and with nothing of the
 * service's. Refuses a stream with losses.
 */
final class Intervals {
    private static final long IDLE = 0;
    private static final long PREEMPTED = 0x8000_0000L;
    private static final int PROTOCOL = 6;
    private static final int IPPROTO_UDP = 17;

    private final List<Interval> found = new ArrayList<>();
    private final Map<Integer, Begin> onCpu = new HashMap<>();
    private final Map<Long, Long> runnableSince = new HashMap<>();
    private final Map<Integer, Begin> hard = new HashMap<>();
    private final Map<Integer, Begin> soft = new HashMap<>();
    private final Map<Call, Hops> calls = new HashMap<>();
    private @Nullable Long lastArrival;

    private record Begin(long key, long timer) {}

    private record Call(long tid, long cookie) {}

    /** When a call came to each layer; null where it has not been. */
    private record Hops(
            @Nullable Long socket,
            @Nullable Long udp,
            @Nullable Long ip) {}

    private Intervals() {}

    /** All times in these records, in the order in which they ended. */
    static List<Interval> of(List<RawRecord> records) {
        Intervals intervals = new Intervals();
        records.forEach(intervals::take);
        return intervals.found;
    }

    private void take(RawRecord r) {
        switch (r.event()) {
            case RawRecord.SCHED_SWITCH -> switched(r);
            case RawRecord.SCHED_WAKEUP -> {
                if (r.id() != IDLE) {
                    runnableSince.putIfAbsent(r.id(), r.timer());
                }
            }
            case RawRecord.SCHED_PROCESS_EXIT -> {
                runnableSince.remove(r.tid());
                calls.keySet().removeIf(call -> call.tid == r.tid());
            }
            case RawRecord.IRQ_HANDLER_ENTRY -> hard.put(r.cpu(), new Begin(r.id(), r.timer()));
            case RawRecord.IRQ_HANDLER_EXIT -> hardEnds(r);
            case RawRecord.SOFTIRQ_ENTRY -> soft.put(r.cpu(), new Begin(r.id(), r.timer()));
            case RawRecord.SOFTIRQ_EXIT -> handlerEnds(Kind.SOFT_HANDLER, soft.remove(r.cpu()), r);
            case RawRecord.UDP_RCV -> {
                if (lastArrival != null) {
                    add(Kind.INTERARRIVAL, r.tid(), lastArrival, r);
                }
                lastArrival = r.timer();
            }
            case RawRecord.INET_SENDMSG, RawRecord.UDP_SENDMSG, RawRecord.IP_SEND_SKB, RawRecord.DEV_QUEUE_XMIT ->
                hop(r);
            case RawRecord.LOST ->
                throw new AssertionError("events were lost: the buffers were too small for this test");
            default -> {
                // No time is made of it.
            }
        }
    }

    private void switched(RawRecord r) {
        Begin running = onCpu.put(r.cpu(), new Begin(r.id(), r.timer()));
        if (running != null && running.key == r.tid()) {
            add(r.tid() == IDLE ? Kind.IDLE_GAP : Kind.TIME_SLICE, r.tid(), running.timer, r);
        }
        if (r.tid() != IDLE) {
            runnableSince.remove(r.tid());
            if (r.u32(0) == 0 || (r.u32(0) & PREEMPTED) != 0) {
                runnableSince.put(r.tid(), r.timer());
            }
        }
        Long since = runnableSince.remove(r.id());
        if (since != null) {
            add(Kind.RUN_QUEUE_WAIT, r.id(), since, r);
        }
    }

    private void hardEnds(RawRecord r) {
        long ticks = handlerEnds(Kind.HARD_HANDLER, hard.remove(r.cpu()), r);
        soft.computeIfPresent(r.cpu(), (cpu, begin) -> new Begin(begin.key, begin.timer + ticks));
    }

    private long handlerEnds(Kind kind, @Nullable Begin begin, RawRecord r) {
        return begin != null && begin.key == r.id() ? add(kind, r.tid(), begin.timer, r) : 0;
    }

    private void hop(RawRecord r) {
        Call call = new Call(r.tid(), r.id());
        Hops hops = calls.remove(call);
        switch (r.event()) {
            case RawRecord.INET_SENDMSG -> {
                if (r.u16(PROTOCOL) == IPPROTO_UDP) {
                    calls.put(call, new Hops(r.timer(), null, null));
                } else if (hops != null) {
                    calls.put(call, hops);
                }
            }
            case RawRecord.UDP_SENDMSG -> {
                Long socket = hops != null && hops.udp == null ? hops.socket : null;
                if (socket != null) {
                    add(Kind.SOCKET_TO_UDP, r.tid(), socket, r);
                }
                calls.put(call, new Hops(socket, r.timer(), null));
            }
            case RawRecord.IP_SEND_SKB -> {
                if (hops != null && hops.udp != null && hops.ip == null) {
                    add(Kind.UDP_TO_IP, r.tid(), hops.udp, r);
                    calls.put(call, new Hops(hops.socket, hops.udp, r.timer()));
                } else if (hops != null) {
                    calls.put(call, hops);
                }
            }
            default -> toDevice(call, hops, r);
        }
    }

    private void toDevice(Call call, @Nullable Hops hops, RawRecord r) {
        if (hops != null && hops.ip != null) {
            add(Kind.IP_TO_DEVICE, r.tid(), hops.ip, r);
            if (hops.socket != null) {
                add(Kind.SOCKET_TO_DEVICE, r.tid(), hops.socket, r);
            }
        } else if (hops != null) {
            calls.put(call, hops);
        }
    }

    private long add(Kind kind, long tid, long begin, RawRecord end) {
        long ticks = Math.max(0, end.timer() - begin);
        found.add(new Interval(kind, tid, ticks, end.at()));
        return ticks;
    }
}
