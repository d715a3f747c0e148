// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.util.OptionalInt;
import magnet.cli.world.Output;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import org.jspecify.annotations.Nullable;

/**
 * Prints records until there were enough. LOST, STORM and COUNTERS records are printed, but are no events; CLOCK
 * records are not printed. Not thread-safe.
 */
public final class RecordPrinter implements RecordHandler {
    private final Output out;
    private final RecordFormat format;
    private final long most;
    private final OptionalInt tgid;
    private final StringBuilder line = new StringBuilder(256);
    private final int self = (int) ProcessHandle.current().pid();
    private long printed;
    private long own;
    private long written;
    private long lastTimer;
    private int lastCpu;
    private Output.@Nullable ClosedException closed;

    /**
     * @param most events to print
     * @param tgid the process whose events are wanted; empty for all
     */
    RecordPrinter(Output out, RecordFormat format, long most, OptionalInt tgid) {
        this.out = out;
        this.format = format;
        this.most = most;
        this.tgid = tgid;
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int event = record.event();
        boolean counters = event == EventType.COUNTERS.id();
        boolean over = closed != null || (printed >= most && !(counters && isOfLast(record)));
        if (over || event == EventType.CLOCK.id()) {
            return;
        }
        boolean lost = event == EventType.LOST.id() || event == EventType.STORM.id();
        if (!lost && tgid.isPresent() && tgid.getAsInt() != record.tgid()) {
            return;
        }
        line.setLength(0);
        format.append(record, line);
        line.append('\n');
        try {
            out.text(line);
            printed += lost || counters ? 0 : 1;
            own += !lost && !counters && record.tgid() == self ? 1 : 0;
        } catch (Output.ClosedException e) {
            closed = e;
        }
        lastTimer = record.timer();
        lastCpu = record.cpu();
    }

    /** Counters have the time of the event that they are read with. */
    private boolean isOfLast(RecordFlyweight record) {
        return record.timer() == lastTimer && record.cpu() == lastCpu;
    }

    /** Whether there were enough events, or nobody reads any more. */
    boolean isDone() {
        return printed >= most || closed != null;
    }

    /** Events printed. */
    long printed() {
        return printed;
    }

    /** Of these, events in this process. */
    long own() {
        return own;
    }

    /** Events that were printed and surely came out. */
    long written() {
        return written;
    }

    /** Writes out what is still in memory. */
    void flush() throws Output.ClosedException {
        if (closed != null) {
            throw closed;
        }
        out.flush();
        written = printed;
    }
}
