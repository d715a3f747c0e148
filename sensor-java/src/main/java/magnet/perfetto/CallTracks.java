// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.WordKind;
import magnet.record.Words;

/**
 * What threads do in the kernel, on their own tracks: system calls, and waits for memory to be freed. Those whose begin and
 * end the trace has are written, as the kernel's own tracer tells them; calls that have not returned by its end have no end.
 * For one thread.
 */
final class CallTracks {
    private static final int MOST = 1 << 15;

    /** A system call that is under way. */
    private record Call(int cpu, int tgid, long begin, long number, boolean foreign, long arg0, long arg1, long arg2) {}

    /** A thread frees memory. */
    private record Reclaim(int cpu, long begin, long order, long flags) {}

    private final PacketWriter packets;
    private final Bundles bundles;
    private final Threads threads;
    private final Words words;
    private final Bounded<Integer, Call> calls = new Bounded<>(MOST);
    private final Bounded<Integer, Reclaim> reclaims = new Bounded<>(MOST);

    /** @param words for system calls of 32-bit programs; Perfetto knows the others */
    CallTracks(PacketWriter packets, Bundles bundles, Threads threads, Words words) {
        this.packets = packets;
        this.bundles = bundles;
        this.threads = threads;
        this.words = words;
    }

    void onRecord(EventType type, RecordFlyweight record, int tid, long ns) {
        switch (type) {
            case SYS_ENTER -> onEnter(record, tid, ns);
            case SYS_EXIT -> onReturn(tid, ns, record.payloadU64(Payload.SYS_EXIT_RET_OFFSET));
            case MM_VMSCAN_DIRECT_RECLAIM_BEGIN ->
                reclaims.put(
                        tid,
                        new Reclaim(
                                record.cpu(),
                                ns,
                                record.payloadU32(Payload.RECLAIM_BEGIN_ORDER_OFFSET),
                                record.payloadU32(Payload.RECLAIM_BEGIN_GFP_FLAGS_OFFSET)));
            case MM_VMSCAN_DIRECT_RECLAIM_END -> onReclaimed(record, tid, ns);
            // Out of its last call a thread does not return.
            default -> onReturn(tid, ns, 0);
        }
    }

    /** Any of them may have ended unseen, since threads change their CPUs. */
    void onLost() {
        calls.clear();
        reclaims.clear();
    }

    void finish() {
        calls.forEach((tid, call) -> {
            if (!call.foreign) {
                writeEnter(tid, call);
            }
        });
        calls.clear();
    }

    private void onEnter(RecordFlyweight record, int tid, long ns) {
        calls.put(
                tid,
                new Call(
                        record.cpu(),
                        record.tgid(),
                        ns,
                        record.abstractId(),
                        record.payloadU32(Payload.SYS_ENTER_COMPAT_OFFSET) != 0,
                        record.payloadU64(Payload.SYS_ENTER_ARG0_OFFSET),
                        record.payloadU64(Payload.SYS_ENTER_ARG1_OFFSET),
                        record.payloadU64(Payload.SYS_ENTER_ARG2_OFFSET)));
    }

    /** A return is its thread's call's, whatever number it has: that of a return from a signal handler has none. */
    private void onReturn(int tid, long ns, long returned) {
        Call call = calls.remove(tid);
        if (call == null) {
            return;
        }
        if (call.foreign) {
            // Perfetto would take its number for another call's.
            packets.annotations().with("number", call.number).with("returned", returned);
            String word = words.of(WordKind.COMPAT_SYSTEM_CALL, call.number);
            String name = word == null ? "32-bit system call" : word + " (32-bit)";
            packets.slice(threads.track(tid, call.tgid), name, call.begin, ns);
            return;
        }
        writeEnter(tid, call);
        ProtoWriter exit = bundles.begin(call.cpu, ns, tid, Schema.FTRACE_SYS_EXIT);
        exit.number(Schema.SYSCALL_ID, call.number);
        exit.number(Schema.SYSCALL_RET, returned);
        bundles.end();
    }

    private void writeEnter(int tid, Call call) {
        ProtoWriter enter = bundles.begin(call.cpu, call.begin, tid, Schema.FTRACE_SYS_ENTER);
        enter.number(Schema.SYSCALL_ID, call.number);
        enter.number(Schema.SYSCALL_ARGS, call.arg0);
        enter.number(Schema.SYSCALL_ARGS, call.arg1);
        enter.number(Schema.SYSCALL_ARGS, call.arg2);
        bundles.end();
    }

    private void onReclaimed(RecordFlyweight record, int tid, long ns) {
        Reclaim reclaim = reclaims.remove(tid);
        if (reclaim == null) {
            return;
        }
        ProtoWriter begin = bundles.begin(reclaim.cpu, reclaim.begin, tid, Schema.FTRACE_RECLAIM_BEGIN);
        begin.number(Schema.RECLAIM_ORDER, reclaim.order);
        begin.number(Schema.RECLAIM_GFP_FLAGS, reclaim.flags);
        bundles.end();
        bundles.begin(record.cpu(), ns, tid, Schema.FTRACE_RECLAIM_END)
                .number(Schema.RECLAIM_PAGES, record.payloadU64(Payload.RECLAIM_END_PAGES_OFFSET));
        bundles.end();
    }
}
