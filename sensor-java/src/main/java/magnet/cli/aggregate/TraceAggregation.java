// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import magnet.cli.trace.TraceProgress;
import magnet.cli.trace.TraceRemarks;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.cli.world.Formats;
import magnet.cli.world.SavedOwners;
import magnet.cli.world.World;
import magnet.config.NearestName;
import magnet.record.EventType;
import magnet.record.RecordHandler;
import magnet.record.Words;
import magnet.trace.EventFormat;
import magnet.trace.RuleFilter;
import magnet.trace.ThreadNames;
import magnet.trace.TraceReader;

/** Counts the events of a saved trace; what is interrupted prints what it has read. For one run. */
final class TraceAggregation {
    private final Aggregation aggregation;
    private final AggregateOptions options;
    private final World world;

    TraceAggregation(Aggregation aggregation) {
        this.aggregation = aggregation;
        this.options = aggregation.options();
        this.world = aggregation.world();
    }

    /** Counts and prints; returns the exit code. */
    int run() throws IOException {
        try (TraceReader trace = TraceReader.open(Objects.requireNonNull(options.trace()))) {
            SavedOwners owners = SavedOwners.of(trace, world);
            List<EventFormat> events = chosen(trace, owners);
            BytePool pool = new BytePool();
            JobKey jobs = aggregation.asksForJob() && owners.areTold() ? new JobKey(owners.owners(), pool) : null;
            Grouping grouping = aggregation.grouping(
                    events, List.of(), trace.layout(), trace.clock().ticksPerMilli(), pool, jobs);
            Words words = options.raw() ? Words.none() : Formats.withSystemCalls(trace.words(), trace.machine());
            ThreadNames named = ThreadNames.ofSaved(trace.processNames());
            GroupNames names = new GroupNames(grouping.kinds(), pool, words, new SavedNames(trace, named));
            EventTally tally = new EventTally(grouping, names, options.processes(), options.count());
            RuleFilter filter = options.filters().isEmpty()
                    ? null
                    : new RuleFilter(
                            trace,
                            Formats.withSystemCalls(trace.words(), trace.machine()),
                            String.join(";", options.filters()),
                            tally);
            RecordHandler wanted = named.andThen(filter == null ? tally : filter);
            read(trace, tally, jobs == null ? wanted : owners.owners().andThen(wanted));
            long lost = tally.takeLost();
            aggregation.report(events.stream().map(EventFormat::name).toList()).show(tally, null, lost);
            aggregation.tellLeftOut(tally, "; save the trace with --snap " + PacketValues.SNAP_BYTES);
            world.tell(Counted.of(tally.counted(), "event") + " counted"
                    + (lost == 0 ? "" : "; " + Counted.of(lost, "was", "were") + " lost when the trace was saved"));
            if (jobs != null) {
                owners.tellWithoutRoom(world);
            }
            return new TraceRemarks(world, "the " + aggregation.command()).tell(trace, filter);
        }
    }

    private void read(TraceReader trace, EventTally tally, RecordHandler handler) throws IOException {
        TraceProgress progress = new TraceProgress(world, "read", handler);
        progress.endWhenInterrupted();
        try {
            trace.read(progress, tally::isDone);
        } catch (CancellationException e) {
            progress.clear();
            world.tell("interrupted: the rest of the trace is not counted");
        } finally {
            progress.clear();
        }
    }

    /** Who names no point wants those that somebody asked for when the trace was saved. */
    private List<EventFormat> chosen(TraceReader trace, SavedOwners owners) throws Failure {
        Map<String, EventFormat> known = new LinkedHashMap<>();
        for (EventFormat event : trace.events()) {
            if (!isOfSensor(event.id())) {
                known.putIfAbsent(event.name(), event);
            }
        }
        List<EventFormat> chosen = new ArrayList<>();
        for (String name : options.points()) {
            EventFormat event = known.get(name);
            if (event == null) {
                String near = NearestName.near(name, List.copyOf(known.keySet()))
                        .map(each -> "; did you mean " + each + "?")
                        .orElse("");
                throw new Failure(
                        "the trace describes no event " + name + near + " (\"magnet report\" lists those that it has)");
            }
            if (!chosen.contains(event)) {
                chosen.add(event);
            }
        }
        return chosen.isEmpty()
                ? known.values().stream()
                        .filter(event -> !owners.hides(event.id()))
                        .toList()
                : chosen;
    }

    /** What the sensor says of itself is no event of a point. */
    private static boolean isOfSensor(int id) {
        return id == EventType.CLOCK.id()
                || id == EventType.LOST.id()
                || id == EventType.STORM.id()
                || id == EventType.COUNTERS.id();
    }
}
