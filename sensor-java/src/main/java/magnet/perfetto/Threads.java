// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.util.Arrays;
import java.util.Map;
import magnet.record.RecordFlyweight;
import magnet.trace.ThreadNames;

/**
 * Which threads there are, of which processes, and what these are called. A thread is described when it is first seen;
 * what was not seen for long is forgotten, and described again. For one thread.
 */
final class Threads {
    private static final int MOST = 1 << 15;
    private static final int UNKNOWN = -1;

    private final PacketWriter packets;
    private final ThreadNames names;

    /** Process by thread. */
    private final Bounded<Integer, Integer> threads = new Bounded<>(MOST);

    private final Bounded<Integer, Long> tracks = new Bounded<>(MOST);
    private int[] running = {};

    /** @param names of processes, each character a byte, whose every other name the trace's records tell */
    Threads(PacketWriter packets, Map<Integer, String> names) {
        this.packets = packets;
        this.names = ThreadNames.ofSaved(names);
    }

    /** The thread that was running. Layout classic does not say: the one that last got the CPU, else the process's first one. */
    int tid(RecordFlyweight record) {
        if (record.layout().hasTid()) {
            return record.tid();
        }
        int cpu = record.cpu();
        return cpu < running.length && running[cpu] != UNKNOWN ? running[cpu] : record.tgid();
    }

    /** A thread got a CPU. */
    void runs(int cpu, int tid) {
        if (cpu >= running.length) {
            int before = running.length;
            running = Arrays.copyOf(running, Math.max(cpu + 1, 2 * before));
            Arrays.fill(running, before, running.length, UNKNOWN);
        }
        running[cpu] = tid;
    }

    /** Which thread runs on a CPU is not known any more. */
    void runsUnknown(int cpu) {
        if (cpu < running.length) {
            running[cpu] = UNKNOWN;
        }
    }

    /** A thread that a record names. */
    void seen(int tid, int tgid, long ns) {
        if (tid == 0 || tgid == 0) {
            return;
        }
        Integer known = threads.get(tid);
        if (known == null || known != tgid) {
            threads.put(tid, tgid);
            tracks.remove(tid);
            describe(tid, tgid, ns);
        }
    }

    /** A thread is new; what had its number before is gone. */
    void begins(int tid) {
        threads.remove(tid);
        tracks.remove(tid);
    }

    /** What a thread is called now; empty if that is not known. */
    String name(int tid) {
        return Names.ofBytes(names.of(tid));
    }

    /** A record that may say what a thread is called from here on, or that such records were lost. */
    void learn(RecordFlyweight record) {
        names.onRecord(record);
    }

    /** Events are missing that may have told names. */
    void onGap() {
        names.onGap(UNKNOWN);
    }

    /** A thread has another name than it was described with. */
    void renamed(int tid, int tgid, long ns) {
        if (threads.get(tid) != null) {
            describe(tid, tgid, ns);
        }
    }

    /** The track of a thread. */
    long track(int tid, int tgid) {
        Long track = tracks.get(tid);
        if (track == null) {
            track = packets.threadTrack(tgid, tid);
            tracks.put(tid, track);
        }
        return track;
    }

    private void describe(int tid, int tgid, long ns) {
        ProtoWriter packet = packets.begin(ns);
        packet.begin(Schema.PACKET_PROCESS_TREE);
        String name = name(tgid);
        packet.begin(Schema.TREE_PROCESSES);
        packet.number(Schema.PROCESS_PID, tgid);
        if (!name.isEmpty()) {
            packet.text(Schema.PROCESS_CMDLINE, name);
            packet.number(Schema.PROCESS_CMDLINE_IS_COMM, 1);
        }
        packet.end();
        packet.begin(Schema.TREE_THREADS);
        packet.number(Schema.THREAD_TID, tid);
        packet.number(Schema.THREAD_TGID, tgid);
        String threadName = name(tid);
        if (!threadName.isEmpty()) {
            packet.text(Schema.THREAD_NAME, threadName);
        }
        packet.end();
        packet.end();
        packets.end();
    }
}
