// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.util.concurrent.CancellationException;
import magnet.cli.world.Output;
import magnet.cli.world.ProgressLine;
import magnet.cli.world.World;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;

/** Hands the records of a trace on, and shows how many there were so far. */
public final class TraceProgress implements RecordHandler {
    private static final long RECORDS_PER_LOOK = 1 << 14;
    private static final long NANOS_PER_LINE = 500_000_000;

    private final World world;
    private final String done;
    private final RecordHandler next;
    private final ProgressLine line;
    private long records;
    private long shownNanos;
    private volatile boolean cancelled;

    /** @param done what is done with them: {@code exported} */
    public TraceProgress(World world, String done, RecordHandler next) {
        this.world = world;
        this.done = done;
        this.next = next;
        this.line = new ProgressLine(world);
        this.shownNanos = world.clock().nanos();
    }

    /** When the user wants it, the next record ends with a {@link CancellationException}. */
    public void endWhenInterrupted() {
        world.interruption().onInterrupt(() -> cancelled = true);
    }

    @Override
    public void onGap(int cpu) {
        next.onGap(cpu);
    }

    @Override
    public void onNewEpoch(int cpus) {
        next.onNewEpoch(cpus);
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        if (cancelled) {
            throw new CancellationException();
        }
        next.onRecord(record);
        if (++records % RECORDS_PER_LOOK == 0) {
            look();
        }
    }

    /** The line goes away. */
    public void clear() {
        try {
            line.clear();
        } catch (Output.ClosedException e) {
            // Nobody watches.
        }
    }

    private void look() {
        long now = world.clock().nanos();
        if (now - shownNanos >= NANOS_PER_LINE) {
            shownNanos = now;
            try {
                line.show(records + " records " + done);
            } catch (Output.ClosedException e) {
                // Nobody watches.
            }
        }
    }
}
