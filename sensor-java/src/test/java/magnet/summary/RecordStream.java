// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import magnet.record.CpuMode;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;

/** Writes records as the kernel would, in layout wide, and hands each to a handler. */
final class RecordStream {
    static final int UDP = 17;
    static final int TCP = 6;

    private static final int HEADER = RecordLayout.WIDE.headerSize();

    private final RecordHandler handler;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(128).order(ByteOrder.nativeOrder());
    private final RecordFlyweight record = new RecordFlyweight(RecordLayout.WIDE);

    RecordStream(RecordHandler handler) {
        this.handler = handler;
    }

    RecordStream socketSend(int cpu, long timer, int tid, long cookie, int length, int protocol) {
        begin(EventType.INET_SENDMSG.id(), cpu, timer, tid, cookie, 8);
        buffer.putInt(HEADER + Payload.SOCK_LEN_OFFSET, length);
        buffer.putShort(HEADER + Payload.SOCK_PROTOCOL_OFFSET, (short) protocol);
        return end();
    }

    RecordStream udpSend(int cpu, long timer, int tid, long cookie, int length) {
        begin(EventType.UDP_SENDMSG.id(), cpu, timer, tid, cookie, 8);
        buffer.putInt(HEADER + Payload.SOCK_LEN_OFFSET, length);
        buffer.putShort(HEADER + Payload.SOCK_PROTOCOL_OFFSET, (short) UDP);
        return end();
    }

    RecordStream packet(EventType type, int cpu, long timer, int tid, long cookie, int length) {
        begin(type.id(), cpu, timer, tid, cookie, 24);
        buffer.putInt(HEADER + Payload.PACKET_LEN_OFFSET, length);
        return end();
    }

    RecordStream switchTo(int cpu, long timer, int leaving, long state, int entering) {
        begin(EventType.SCHED_SWITCH.id(), cpu, timer, leaving, entering, 8);
        buffer.putInt(HEADER + Payload.SCHED_SWITCH_PREV_STATE_OFFSET, (int) state);
        return end();
    }

    /** As the one before, of processes with more than one thread. */
    RecordStream switchTo(int cpu, long timer, int[] leaving, long state, int[] entering) {
        begin(EventType.SCHED_SWITCH.id(), cpu, timer, leaving[1], entering[1], 8);
        buffer.putInt(8, leaving[0]);
        buffer.putInt(HEADER + Payload.SCHED_SWITCH_PREV_STATE_OFFSET, (int) state);
        buffer.putInt(HEADER + Payload.SCHED_SWITCH_NEXT_TGID_OFFSET, entering[0]);
        return end();
    }

    RecordStream sock(EventType type, int cpu, long timer, int tid, long cookie, int length, int protocol) {
        begin(type.id(), cpu, timer, tid, cookie, 8);
        buffer.putInt(HEADER + Payload.SOCK_LEN_OFFSET, length);
        buffer.putShort(HEADER + Payload.SOCK_PROTOCOL_OFFSET, (short) protocol);
        return end();
    }

    /** A packet on its way in. */
    RecordStream arrives(EventType type, int cpu, long timer, long packet) {
        begin(type.id(), cpu, timer, 0, 0, 24);
        buffer.putLong(HEADER + Payload.PACKET_PACKET_ID_OFFSET, packet);
        return end();
    }

    RecordStream drop(int cpu, long timer, int reason) {
        begin(EventType.KFREE_SKB.id(), cpu, timer, 1, 0, 32);
        buffer.putInt(HEADER + Payload.DROP_REASON_OFFSET, reason);
        return end();
    }

    RecordStream retransmit(int cpu, long timer, int segments) {
        begin(EventType.TCP_RETRANSMIT_SKB.id(), cpu, timer, 1, 2, 32);
        buffer.putInt(HEADER + Payload.RETRANSMIT_SEGMENTS_OFFSET, segments);
        return end();
    }

    RecordStream driver(int cpu, long timer, int answer) {
        begin(EventType.NET_DEV_XMIT.id(), cpu, timer, 1, 0, 24);
        buffer.putInt(HEADER + Payload.XMIT_RET_OFFSET, answer);
        return end();
    }

    /** The driver was given a packet. */
    RecordStream sends(int cpu, long timer, long namespace, int device, int length, int answer) {
        begin(EventType.NET_DEV_XMIT.id(), cpu, timer, 1, 0, 24);
        buffer.putInt(HEADER + Payload.XMIT_LEN_OFFSET, length);
        buffer.putInt(HEADER + Payload.XMIT_IFINDEX_OFFSET, device);
        buffer.putInt(HEADER + Payload.XMIT_RET_OFFSET, answer);
        buffer.putInt(HEADER + Payload.XMIT_NETNS_OFFSET, (int) namespace);
        return end();
    }

    /** A driver handed up a packet. */
    RecordStream receives(int cpu, long timer, long namespace, int device, int length) {
        begin(EventType.NET_DEV_RECEIVE.id(), cpu, timer, 1, 0, 24);
        buffer.putInt(HEADER + Payload.DEV_RECEIVE_LEN_OFFSET, length);
        buffer.putInt(HEADER + Payload.DEV_RECEIVE_IFINDEX_OFFSET, device);
        buffer.putInt(HEADER + Payload.DEV_RECEIVE_NETNS_OFFSET, (int) namespace);
        return end();
    }

    /**
     * Where a CPU's time stands.
     *
     * @param sums of user, nice, system, idle, irq and softirq
     */
    RecordStream cpuTime(int cpu, long timer, CpuMode mode, long... sums) {
        begin(EventType.CPU_TIME.id(), cpu, timer, 1, 0, 56);
        for (int i = 0; i < sums.length; i++) {
            buffer.putLong(HEADER + Payload.CPU_TIME_USER_OFFSET + i * Long.BYTES, sums[i]);
        }
        buffer.putInt(HEADER + Payload.CPU_TIME_MODE_OFFSET, mode.number());
        return end();
    }

    RecordStream sysEnter(int cpu, long timer, int tid, int number, boolean compat) {
        begin(EventType.SYS_ENTER.id(), cpu, timer, tid, number, 32);
        buffer.putInt(HEADER + Payload.SYS_ENTER_COMPAT_OFFSET, compat ? 1 : 0);
        return end();
    }

    RecordStream sysExit(int cpu, long timer, int tid, int number, long returned) {
        begin(EventType.SYS_EXIT.id(), cpu, timer, tid, number, 16);
        buffer.putLong(HEADER + Payload.SYS_EXIT_RET_OFFSET, returned);
        return end();
    }

    RecordStream block(EventType type, int cpu, long timer, long request, int operation, int bytes, int error) {
        begin(type.id(), cpu, timer, 1, request, 24);
        buffer.putInt(HEADER + Payload.BLOCK_BYTES_OFFSET, bytes);
        buffer.putInt(HEADER + Payload.BLOCK_OP_OFFSET, operation);
        buffer.putInt(HEADER + Payload.BLOCK_ERROR_OFFSET, error);
        return end();
    }

    RecordStream fault(int cpu, long timer, int code) {
        begin(EventType.PAGE_FAULT_USER.id(), cpu, timer, 1, 0, 24);
        buffer.putInt(HEADER + Payload.PAGE_FAULT_ERROR_CODE_OFFSET, code);
        return end();
    }

    RecordStream majorFault(int cpu, long timer, long latency) {
        begin(EventType.MAJOR_FAULT.id(), cpu, timer, 1, 0, 24);
        buffer.putLong(HEADER + Payload.MAJOR_FAULT_LATENCY_OFFSET, latency);
        return end();
    }

    RecordStream reclaimBegin(int cpu, long timer, int tid) {
        begin(EventType.MM_VMSCAN_DIRECT_RECLAIM_BEGIN.id(), cpu, timer, tid, 0, 16);
        return end();
    }

    RecordStream reclaimEnd(int cpu, long timer, int tid, long pages) {
        begin(EventType.MM_VMSCAN_DIRECT_RECLAIM_END.id(), cpu, timer, tid, 0, 16);
        buffer.putLong(HEADER + Payload.RECLAIM_END_PAGES_OFFSET, pages);
        return end();
    }

    RecordStream marker(int cpu, long timer, long number) {
        begin(EventType.MARKER.id(), cpu, timer, 1, number, 8);
        return end();
    }

    /** An event of which only that it happened counts. */
    RecordStream event(EventType type, int cpu, long timer) {
        begin(type.id(), cpu, timer, 1, 1, 24);
        return end();
    }

    RecordStream wakeup(int cpu, long timer, int waker, int woken) {
        begin(EventType.SCHED_WAKEUP.id(), cpu, timer, waker, woken, 8);
        return end();
    }

    RecordStream fork(int cpu, long timer, int parent, int child, int childProcess) {
        begin(EventType.SCHED_PROCESS_FORK.id(), cpu, timer, parent, child, 8);
        buffer.putInt(HEADER + Payload.FORK_CHILD_TGID_OFFSET, childProcess);
        return end();
    }

    RecordStream exec(int cpu, long timer, int tid) {
        begin(EventType.SCHED_PROCESS_EXEC.id(), cpu, timer, tid, tid, 8);
        return end();
    }

    RecordStream exit(int cpu, long timer, int tid, boolean last) {
        begin(EventType.SCHED_PROCESS_EXIT.id(), cpu, timer, tid, tid, 8);
        buffer.putInt(HEADER + Payload.EXIT_GROUP_DEAD_OFFSET, last ? 1 : 0);
        return end();
    }

    RecordStream interrupt(EventType type, int cpu, long timer, int number) {
        begin(type.id(), cpu, timer, 0, number, type == EventType.IRQ_HANDLER_EXIT ? 8 : 0);
        return end();
    }

    RecordStream lost(int cpu, long timer, long count) {
        begin(EventType.LOST.id(), cpu, timer, 0, 0, 24);
        buffer.putLong(HEADER + Payload.LOST_COUNT_OFFSET, count);
        return end();
    }

    RecordStream storm(int cpu, long timer, long refused) {
        begin(EventType.STORM.id(), cpu, timer, 0, EventType.SCHED_SWITCH.id(), 24);
        buffer.putLong(HEADER + Payload.STORM_REFUSED_OFFSET, refused);
        return end();
    }

    RecordStream clock(int cpu, long timer, long monotonicNanos) {
        begin(EventType.CLOCK.id(), cpu, timer, 0, 0, 24);
        buffer.putLong(HEADER + Payload.CLOCK_MONOTONIC_NS_OFFSET, monotonicNanos);
        return end();
    }

    /** An event of an id that was given out at run time. */
    RecordStream dynamic(int cpu, long timer, int event) {
        begin(event, cpu, timer, 1, 0, 0);
        return end();
    }

    private void begin(int event, int cpu, long timer, int tid, long abstractId, int payload) {
        buffer.clear();
        for (int i = 0; i < buffer.capacity(); i += Long.BYTES) {
            buffer.putLong(i, 0);
        }
        buffer.putInt(0, HEADER + payload);
        buffer.putShort(4, (short) cpu);
        buffer.putShort(6, (short) event);
        buffer.putInt(8, tid);
        buffer.putInt(12, tid);
        buffer.putLong(16, abstractId);
        buffer.putLong(24, timer);
    }

    private RecordStream end() {
        handler.onRecord(record.wrap(buffer, 0));
        return this;
    }
}
