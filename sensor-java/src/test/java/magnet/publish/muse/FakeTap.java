// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;

/** A kernel that logs what a test tells it to, one tick a nanosecond. */
final class FakeTap implements EventTap, TickClock {
    static final long TICKS_PER_SECOND = 1_000_000_000;
    static final long BOOTED_SECONDS = 1_700_000_000;

    final Map<EventType, String> selected = new EnumMap<>(EventType.class);
    private final Deque<RecordWriter> logged = new ArrayDeque<>();
    private RecordHandler handler = record -> {};
    EventType refused;
    boolean gone;
    boolean open;
    int opened;
    long now;
    private long unseen;
    private double bootedSeconds = BOOTED_SECONDS;

    /** Gives itself. */
    EventTap open(RecordHandler to) throws IOException {
        if (gone) {
            throw new IOException("no module");
        }
        handler = to;
        open = true;
        opened++;
        return this;
    }

    /** Logs an event if its point is selected, whatever the rules. */
    FakeTap log(EventType type, int cpu, int tgid, int tid, long id, long... fields) {
        if (selected.containsKey(type) || type == EventType.LOST) {
            logged.add(new RecordWriter(RecordLayout.WIDE, 256).record(type, cpu, tgid, tid, id, now + unseen, fields));
        }
        return this;
    }

    /** A thread of process {@code from} leaves the CPU, one of {@code to} enters. */
    FakeTap switched(int cpu, int from, int to) {
        return log(EventType.SCHED_SWITCH, cpu, from, from, to, 0, to);
    }

    @Override
    public void select(Map<EventType, String> rules) throws IOException {
        if (refused != null && rules.containsKey(refused)) {
            throw new IOException(refused.label() + ": this kernel does not have it");
        }
        selected.clear();
        selected.putAll(rules);
    }

    @Override
    public void read() throws IOException {
        readAll();
    }

    @Override
    public void readAll() throws IOException {
        if (gone) {
            throw new IOException("the buffer was removed");
        }
        while (!logged.isEmpty()) {
            handler.onRecord(new RecordFlyweight(RecordLayout.WIDE)
                    .wrap(logged.removeFirst().buffer(), 0));
        }
    }

    /** The timer has jumped, and the module has not seen it yet: the clock goes on. */
    void jumpUnseen(long by) throws IOException {
        readAll();
        unseen = by;
        handler.onNewEpoch(2);
    }

    /** The timer jumps, or begins anew; no time passes. */
    void jump(long to) throws IOException {
        jumpUnseen(0);
        bootedSeconds += (double) (now - to) / TICKS_PER_SECOND;
        now = to;
        handler.onRecord(new RecordFlyweight(RecordLayout.WIDE)
                .wrap(
                        new RecordWriter(RecordLayout.WIDE, 256)
                                .record(EventType.CLOCK, 0, 0, 0, 0, now, 0, 0, 1)
                                .buffer(),
                        0));
    }

    @Override
    public TickClock clock() {
        return this;
    }

    @Override
    public long now() {
        return now;
    }

    @Override
    public long ticksPerSecond() {
        return TICKS_PER_SECOND;
    }

    @Override
    public double realtimeSeconds(long timer) {
        return bootedSeconds + (double) timer / TICKS_PER_SECOND;
    }

    @Override
    public void close() {
        open = false;
        selected.clear();
        logged.clear();
    }
}
