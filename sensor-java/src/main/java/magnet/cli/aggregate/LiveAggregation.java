// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.cli.world.Counted;
import magnet.cli.world.Formats;
import magnet.cli.world.JobRules;
import magnet.cli.world.LiveReading;
import magnet.cli.world.LossAdvice;
import magnet.cli.world.Overtime;
import magnet.cli.world.OwnerPoints;
import magnet.cli.world.PointChoice;
import magnet.cli.world.Unread;
import magnet.cli.world.World;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointInfo;
import magnet.control.Selection;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.BufferReading;
import magnet.measure.OwnBuffer;
import magnet.measure.Subscriptions;
import magnet.record.ClockModel;
import magnet.record.RecordHandler;
import magnet.record.Words;
import magnet.trace.EventFormat;
import magnet.trace.LiveFormats;
import magnet.trace.RuleWords;
import org.jspecify.annotations.Nullable;

/**
 * Lets events of some points go to a buffer of its own and counts them, until there were enough, the time is over, the user
 * interrupts or nobody reads the output any more; then says what was lost. For one run.
 */
final class LiveAggregation {
    /** Nobody waits for a single event. */
    private static final Duration LATEST = Duration.ofMillis(100);
    /** More names than these make no line that anybody reads. */
    private static final int NAMES_TOLD = 3;

    private final Aggregation aggregation;
    private final AggregateOptions options;
    private final World world;
    private final LiveReading live;
    /** How many have ended. */
    private long intervals;

    private long spanBegan;
    private long lostTold;

    LiveAggregation(Aggregation aggregation) {
        this.aggregation = aggregation;
        this.options = aggregation.options();
        this.world = aggregation.world();
        this.live = new LiveReading(world, aggregation.command());
    }

    /** Counts and prints; returns the exit code. */
    int run() throws IOException {
        try (MagnetControl control = world.control().open()) {
            ModuleInfo module = control.info();
            List<PointInfo> known = control.points();
            List<String> points = PointChoice.of(options.points(), known);
            LiveFormats formats = Formats.of(world, module.layout(), control);
            BytePool pool = new BytePool();
            OwnerPoints owning = aggregation.asksForJob() ? OwnerPoints.beside(points, known, world) : null;
            JobKey jobs = owning == null ? null : new JobKey(owning.owners(), pool);
            Grouping grouping = grouping(module, points, known, formats, pool, jobs);
            Words words = options.raw() ? Words.none() : Formats.words(formats, control);
            LiveNames source = new LiveNames(world.processes(), world.root(), formats::name);
            GroupNames names = new GroupNames(grouping.kinds(), pool, words, source);
            EventTally tally = new EventTally(grouping, names, options.processes(), options.count());
            count(
                    control,
                    module,
                    tally,
                    owning,
                    selections(control, points, known, grouping, formats),
                    aggregation.report(points));
            return 0;
        }
    }

    private void count(
            MagnetControl control,
            ModuleInfo module,
            EventTally tally,
            @Nullable OwnerPoints owning,
            Map<String, Selection> wanted,
            TallyReport report)
            throws IOException {
        OwnBuffer buffer = live.buffer(control, module, options.bufferBytes());
        ClockModel clock = module.clockModel();
        String thread = "magnet-" + aggregation.command();
        RecordHandler handler = owning == null ? tally : owning.before(tally);
        try (BufferReading reading = BufferReading.open(buffer, thread, handler, clock, settings(), Set.of())) {
            live.endsAtInterrupt(reading, () -> tally.seen() + world.out().taken());
            long began = world.clock().nanos();
            if (owning != null) {
                owning.accompany(reading, world);
            }
            reading.subscribe(wanted);
            tellBegin(wanted.keySet());
            boolean overtime = read(reading, tally, report);
            finish(reading, tally, report);
            if (owning != null) {
                live.tell(owning.withoutRoom());
            }
            if (overtime) {
                live.tell(Overtime.of(options.seconds(), world.clock().nanos() - began, wanted.size()));
            }
        }
    }

    private void tellBegin(Set<String> points) throws IOException {
        String what = points.size() <= NAMES_TOLD ? String.join(", ", points) : points.size() + " points";
        String until = options.durationText().isEmpty() ? "Ctrl-C ends it" : options.durationText();
        world.tell("counting events of " + what + ": " + until);
    }

    /** Returns whether it was the time that ended it. */
    private boolean read(BufferReading reading, EventTally tally, TallyReport report) throws IOException {
        long start = world.clock().nanos();
        long interval = options.intervalNanos();
        spanBegan = start;
        return live.read(reading, start, options.longestNanos(), tally::isDone, (now, left) -> {
            long since = now - start;
            long whole = since / interval;
            if (whole > intervals) {
                intervals = whole;
                reading.drainWhatIsThere();
                show(tally, report, tally.takeLost());
            } else {
                reading.work(LiveReading.sleepMillis(Math.min(left, interval - since % interval)));
            }
        });
    }

    private void finish(BufferReading reading, EventTally tally, TallyReport report) throws IOException {
        if (reading.hasEnded()) {
            show(tally, report, tally.takeLost());
            aggregation.tellLeftOut(tally, "");
            live.tellRemoved(Counted.of(tally.counted(), "event") + " counted");
            return;
        }
        HitCounts hits = reading.end();
        // What no record told is lost in the last interval.
        show(tally, report, Math.max(0, hits.dropped() + hits.missed() - lostTold));
        aggregation.tellLeftOut(tally, "");
        world.tell(Counted.of(tally.counted(), "event") + " counted; " + Subscriptions.account(hits)
                + Unread.late(reading)
                + OwnerPoints.lost(reading.accompanying()));
        live.tell(LossAdvice.of(hits.plus(reading.accompanying()), options.bufferBytes()));
        live.tell(LossAdvice.ofOwn(hits.dropped() + hits.missed() > 0, tally.own(), tally.counted()));
    }

    private void show(EventTally tally, TallyReport report, long lost) throws IOException {
        long now = world.clock().nanos();
        lostTold += lost;
        report.show(
                tally,
                new TallySpan(world.wall().instant(), now - spanBegan),
                options.isCumulative() ? lostTold : lost);
        if (!options.isCumulative()) {
            tally.clear();
            spanBegan = now;
        }
    }

    /** Points that tell no fields to this user have those that are in every record. */
    private Grouping grouping(
            ModuleInfo module,
            List<String> points,
            List<PointInfo> known,
            LiveFormats formats,
            BytePool pool,
            @Nullable JobKey jobs)
            throws IOException {
        List<EventFormat> events = new ArrayList<>();
        List<String> undescribed = new ArrayList<>();
        Map<String, Integer> ids = PointChoice.ids(known);
        for (String point : points) {
            int id = ids.getOrDefault(point, 0);
            EventFormat format = Formats.event(formats, id);
            if (format == null) {
                undescribed.add(point);
                format = new EventFormat(id, point, 0, List.of(), EventFormat.Tail.NONE);
            }
            events.add(format);
        }
        return aggregation.grouping(events, undescribed, module.layout(), module.ticksPerMilli(), pool, jobs);
    }

    /** Packets' headers are in the records of those points alone that are asked for them. */
    private Map<String, Selection> selections(
            MagnetControl control, List<String> points, List<PointInfo> known, Grouping grouping, LiveFormats formats)
            throws IOException {
        JobRules given = JobRules.of(options.filters(), world);
        RuleWords words = Formats.ruleWords(world, control, given.rules());
        Map<String, Integer> ids = PointChoice.ids(known);
        Map<String, Selection> selections = new LinkedHashMap<>();
        for (String point : points) {
            int id = ids.getOrDefault(point, 0);
            EventFormat event = Formats.event(formats, id);
            given.check(point, event);
            String rules = words.numbered(point, rules(event, given.rules()));
            Selection selection = rules.isEmpty() ? Selection.NONE : Selection.NONE.withRules(rules);
            selections.put(
                    point, grouping.asksPacket(id) ? selection.withSnapBytes(PacketValues.SNAP_BYTES) : selection);
        }
        return selections;
    }

    private String rules(@Nullable EventFormat format, List<String> filters) {
        List<String> rules = new ArrayList<>(options.processes().rules(format));
        rules.addAll(filters);
        return String.join("; ", rules);
    }

    private CollectorSettings settings() {
        CollectorSettings reading = world.reading();
        return reading.latest().isZero() ? reading : reading.withLatest(LATEST);
    }
}
