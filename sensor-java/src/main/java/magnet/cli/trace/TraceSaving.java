// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import magnet.cli.world.Complaint;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.cli.world.LiveReading;
import magnet.cli.world.LossAdvice;
import magnet.cli.world.NamingPoints;
import magnet.cli.world.Overtime;
import magnet.cli.world.OwnerPoints;
import magnet.cli.world.PointChoice;
import magnet.cli.world.World;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointInfo;
import magnet.control.Selection;
import magnet.job.JobNames;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.BufferReading;
import magnet.measure.OwnBuffer;
import magnet.measure.Subscriptions;
import magnet.record.EventType;
import magnet.record.RecordCursor;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;
import magnet.recorder.TraceSource;
import magnet.trace.ProcessNames;
import magnet.trace.RuleWords;
import magnet.trace.SavedTrace;
import magnet.trace.TraceOwners;
import org.jspecify.annotations.Nullable;

/**
 * Lets events of some points go to a buffer of its own and saves them as a trace, until there were enough, the time is
 * over or the user interrupts; then says what was lost. For one run.
 */
public final class TraceSaving {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final Duration LATEST = Duration.ofMillis(200);

    private final World world;
    private final EventOptions options;
    private final TraceOptions output;
    private final Path folder;
    private final LiveReading live;
    private final ProcessNames names;
    private final Count events = new Count() {
        @Override
        public void onGap(int cpu) {
            names.onGap(cpu);
        }
    };
    private final Count saved = new Count();
    private final Count namings = new Count();
    private final Count owning = new Count();
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong writing = new AtomicLong();

    /**
     * What is saved.
     *
     * @param points that were asked for
     * @param naming those that go along, so that the trace says what threads are called
     * @param owning those that go along, so that it says whose they are
     */
    private record Wanted(Map<String, Selection> points, NamingPoints naming, OwnerPoints owning) {}

    TraceSaving(World world, EventOptions options, TraceOptions output) {
        this.world = world;
        this.options = options;
        this.output = output;
        this.folder = Objects.requireNonNull(output.folder());
        this.live = new LiveReading(world, "read");
        this.names = new ProcessNames(world.processes());
    }

    /**
     * Reads and saves.
     *
     * @param points names of points; all that this kernel has, if there is none
     * @param rawDirectory a folder that gets the records as they were read; null = none
     */
    void run(List<String> points, @Nullable Path rawDirectory) throws IOException {
        try (MagnetControl control = world.control().open()) {
            ModuleInfo module = control.info();
            List<PointInfo> known = control.points();
            List<String> chosen = PointChoice.of(points, known);
            try (SavedTrace trace = new SavedTrace(
                    folder,
                    output.rotation(),
                    () -> TraceSource.origin(control, control.info(), world.processes()),
                    this::format,
                    names::take,
                    world.clock()::nanos)) {
                OwnBuffer buffer = live.buffer(control, module, options.bufferBytes());
                save(
                        buffer,
                        module,
                        new Wanted(
                                selections(control, chosen, !points.isEmpty()),
                                NamingPoints.beside(chosen, known),
                                OwnerPoints.beside(chosen, known, JobNames.none())),
                        trace,
                        settings().withRawDirectory(rawDirectory));
            }
        }
    }

    private Map<String, Selection> selections(MagnetControl control, List<String> points, boolean named)
            throws IOException {
        RuleWords words = options.ruleWords(world, control);
        Map<String, Selection> selections = new LinkedHashMap<>();
        for (String point : points) {
            selections.put(point, options.selection(point, null, named, words));
        }
        return selections;
    }

    private void save(OwnBuffer buffer, ModuleInfo module, Wanted wanted, SavedTrace trace, CollectorSettings settings)
            throws IOException {
        RecordHandler counting = wanted.owning.without(wanted.naming.without(events));
        try (BufferReading reading =
                BufferReading.open(buffer, "magnet-read", counting, module.clockModel(), settings, Set.of())) {
            save(reading, module, wanted, trace);
        }
    }

    private void save(BufferReading reading, ModuleInfo module, Wanted wanted, SavedTrace trace) throws IOException {
        try {
            RecordCursor batchRecords = new RecordCursor(module.layout());
            reading.copyTo((cpu, batch, offset, length) -> {
                writing.set(length);
                trace.write(cpu, batch, offset, length);
                writing.set(0);
                batchRecords.wrap(batch, offset, offset + length).forEach(record -> {
                    countOf(wanted, record.event()).onRecord(record);
                    names.onRecord(record);
                    wanted.owning.owners().onRecord(record);
                });
                written.addAndGet(length);
            });
            live.endsAtInterrupt(reading, written::get, this::left);
            Map<String, Selection> points = wanted.points;
            long began = world.clock().nanos();
            accompany(reading, wanted, trace);
            reading.subscribe(points);
            world.tell("saving events of " + Counted.of(points.size(), "point") + " in " + folder);
            boolean overtime = read(reading);
            finish(reading, wanted, trace);
            if (overtime) {
                live.tell(Overtime.of(options.seconds(), world.clock().nanos() - began, points.size()));
            }
        } catch (FileSystemException e) {
            throw e.getReason() == null || !Path.of(e.getFile()).startsWith(folder)
                    ? e
                    : new Failure(e.getMessage() + "; " + unsaved(reading)
                            + "; what was written before stays and can be read");
        }
    }

    private Count countOf(Wanted wanted, int event) {
        if (wanted.naming.hides(event)) {
            return namings;
        }
        return wanted.owning.hides(event) ? owning : saved;
    }

    /** Lets points go along, those first whose events explain the others. */
    private void accompany(BufferReading reading, Wanted wanted, SavedTrace trace) throws IOException {
        boolean tells = OwnerPoints.limited(wanted.points).isEmpty();
        if (tells) {
            trace.tellOwners(() -> known(wanted.owning));
        }
        names.begin();
        if (wanted.naming.accompany(reading, world)) {
            names.follow();
        }
        if (!wanted.owning.accompany(reading, world) && tells) {
            trace.tellNoOwners();
        }
    }

    /** A part that begins later has no records of before: then it says what those have told. */
    private static TraceOwners known(OwnerPoints owning) {
        Map<Integer, Long> cgroups = new HashMap<>();
        Map<Long, String> paths = new HashMap<>();
        owning.owners().forEachProcess(cgroups::put);
        owning.owners().forEachCgroup(paths::put);
        return new TraceOwners(Set.copyOf(owning.points()), cgroups, paths);
    }

    /** How many events were logged for this command by now and are not in the trace. */
    private String unsaved(BufferReading reading) {
        try {
            return Counted.were(Math.max(0, reading.subscriptions().logged() - saved.number), "event") + " not written";
        } catch (IOException e) {
            return "how many events were not written is not known: " + Complaint.about(e);
        }
    }

    /** Nobody watches: a packet may be of all that came in a fifth of a second. */
    private CollectorSettings settings() {
        CollectorSettings reading = world.reading();
        return reading.latest().isZero() ? reading : reading.withLatest(LATEST);
    }

    /** Returns whether it was the time that ended it. */
    private boolean read(BufferReading reading) throws IOException {
        long start = world.clock().nanos();
        long longest = (long) (options.seconds() * NANOS_PER_SECOND);
        return live.read(
                reading,
                start,
                longest,
                () -> events.number >= options.count(),
                (now, left) -> reading.work(LiveReading.sleepMillis(left)));
    }

    private void finish(BufferReading reading, Wanted wanted, SavedTrace trace) throws IOException {
        if (reading.hasEnded()) {
            live.tellRemoved(Counted.of(events.number, "event") + " saved");
            return;
        }
        HitCounts hits = reading.end();
        world.tell(Counted.of(events.number, "event") + " saved in " + folder + parts(trace) + companions() + "; "
                + Subscriptions.account(hits) + lost(reading, wanted.owning));
        live.tell(LossAdvice.of(hits.plus(reading.accompanying()), options.bufferBytes()));
        live.tell(LossAdvice.ofOwn(hits.dropped() + hits.missed() > 0, events.own, events.number));
    }

    private static String lost(BufferReading reading, OwnerPoints owning) {
        return owning.points().isEmpty()
                ? NamingPoints.lost(reading.accompanying())
                : OwnerPoints.lost(reading.accompanying());
    }

    /** What is in the trace beside what was asked for. */
    private String companions() {
        return (namings.number == 0 ? "" : ", and " + namings.number + " that say what threads are called")
                + (owning.number == 0 ? "" : ", and " + owning.number + " that say whose they are");
    }

    private String left() {
        return live.unread(writing.get()) + "; what was written before stays in " + folder;
    }

    private static String parts(SavedTrace trace) {
        if (trace.parts() == 1) {
            return "";
        }
        return ", in " + trace.parts() + " parts"
                + (trace.removed() == 0
                        ? ""
                        : " of which the oldest " + Counted.of(trace.removed(), "is", "are") + " removed");
    }

    private List<String> format() throws IOException {
        Path file = world.format();
        try {
            return Files.readAllLines(file);
        } catch (NoSuchFileException e) {
            throw new Failure(
                    file + ": it is not there; a trace needs debugfs: mount -t debugfs debugfs" + " /sys/kernel/debug");
        } catch (AccessDeniedException e) {
            throw new Failure(file + ": permission denied; a trace needs it: run it as root");
        }
    }

    /** Counts events; what the sensor says of itself is none. */
    private static class Count implements RecordHandler {
        private final int self = (int) ProcessHandle.current().pid();
        private long number;
        private long own;

        @Override
        public void onRecord(RecordFlyweight record) {
            EventType type = EventType.ofId(record.event());
            if (type == null || type.subsystem() != Subsystem.SENSOR || type == EventType.CORRELATED) {
                number++;
                own += record.tgid() == self ? 1 : 0;
            }
        }
    }
}
