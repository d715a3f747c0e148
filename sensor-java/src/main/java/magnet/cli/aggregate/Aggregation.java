// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import magnet.cli.world.Counted;
import magnet.cli.world.World;
import magnet.os.TerminalSize;
import magnet.record.RecordLayout;
import magnet.trace.EventFormat;
import magnet.unit.ByteSize;
import org.jspecify.annotations.Nullable;

/**
 * What {@code magnet hist} and {@code magnet count} have to do.
 *
 * @param world the world around the command
 * @param command its name
 * @param options which events, for how long, and how they are shown
 * @param field what histograms are of; empty where events are counted
 * @param by what events are grouped by
 */
record Aggregation(World world, String command, AggregateOptions options, String field, List<String> by) {
    /** What groups events by the job whose process logged them. */
    static final String JOB = "job";

    Aggregation {
        by = List.copyOf(by);
    }

    /** Does it; returns the exit code. */
    int run() throws IOException {
        return options.trace() == null ? new LiveAggregation(this).run() : new TraceAggregation(this).run();
    }

    /** Whether it takes the owners of processes. */
    boolean asksForJob() {
        return by.contains(JOB) || field.equals(JOB);
    }

    /** What it is grouped by, where it is of these points: who counts several and says nothing wants each for itself. */
    List<String> byOf(int points) {
        return field.isEmpty() && by.isEmpty() && points > 1 ? List.of("point") : by;
    }

    /** How it is shown. */
    TallyReport report(List<String> points) {
        return options.json()
                ? new TallyJson(world.out(), points, options.rows())
                : new TallyText(
                        world.out(),
                        world.zone(),
                        () -> world.screen().get().orElse(TerminalSize.USUAL).columns(),
                        options.rows(),
                        options.hasIntervals());
    }

    /**
     * The groups of these events.
     *
     * @param events what their records look like
     * @param undescribed names of those of which nobody knows that
     * @param jobs tells the jobs of processes; null where nobody does
     */
    Grouping grouping(
            List<EventFormat> events,
            List<String> undescribed,
            RecordLayout layout,
            long ticksPerMilli,
            BytePool pool,
            @Nullable JobKey jobs)
            throws IOException {
        List<EventValues> values = new ArrayList<>();
        for (EventFormat event : events) {
            boolean described = !undescribed.contains(event.name());
            values.add(new EventValues(event, described, layout, ticksPerMilli, pool, jobs));
        }
        return Grouping.of(values, field, byOf(events.size()), options.raw());
    }

    /** Says what is not in what was printed, of all intervals, if there is anything. */
    void tellLeftOut(EventTally tally, String remedy) throws IOException {
        if (tally.others() > 0) {
            world.tell("there is room for "
                    + (tally.totals().isBucketed() ? GroupTotals.BUCKETED_MOST : GroupTotals.COUNTED_MOST) + " groups: "
                    + Counted.were(tally.others(), "event") + " counted together, as others");
        }
        if (tally.textless() > 0) {
            world.tell("there is room for " + BytePool.MOST + " texts and addresses, "
                    + new ByteSize(BytePool.MOST_BYTES) + " together: " + Counted.were(tally.textless(), "event")
                    + " counted under (others)");
        }
        if (tally.unfit() > 0) {
            world.tell(Counted.of(tally.unfit(), "event") + " without that field or key " + Counted.are(tally.unfit())
                    + " not counted");
        }
        if (tally.spanning() > 0) {
            world.tell(Counted.of(tally.spanning(), "latency", "latencies")
                    + " spanned a jump of the timer, as after a suspend, and " + Counted.are(tally.spanning())
                    + " not counted");
        }
        if (tally.untold() > 0) {
            world.tell("of " + Counted.of(tally.untold(), "packet")
                    + " not all headers are there, so that they count as none" + remedy);
        }
    }
}
