// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import magnet.cli.world.Complaint;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.cli.world.Folding;
import magnet.cli.world.Formats;
import magnet.cli.world.LiveReading;
import magnet.cli.world.LossAdvice;
import magnet.cli.world.NamingPoints;
import magnet.cli.world.Output;
import magnet.cli.world.Overtime;
import magnet.cli.world.OwnerPoints;
import magnet.cli.world.PointChoice;
import magnet.cli.world.Unread;
import magnet.cli.world.World;
import magnet.control.Flag;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointInfo;
import magnet.control.Selection;
import magnet.job.Owners;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.BufferReading;
import magnet.measure.OwnBuffer;
import magnet.measure.Subscriptions;
import magnet.os.ThreadComm;
import magnet.record.ClockModel;
import magnet.record.RecordHandler;
import magnet.record.Words;
import magnet.trace.EventFormat;
import magnet.trace.LiveFormats;
import magnet.trace.RuleWords;
import magnet.trace.ThreadNames;
import org.jspecify.annotations.Nullable;

/**
 * Lets events of some points go to a buffer of its own and prints them until there were enough, the time is over, the
 * user interrupts or nobody reads the output any more; then says what was lost. For one run.
 */
public final class EventReading {
    /** What part of a line stays empty where a line before it goes on. */
    private static final int FOLDED_INDENT = 4;

    private static final double NANOS_PER_SECOND = 1e9;

    private final World world;
    private final EventOptions options;
    private final LiveReading live;

    /**
     * A reading.
     *
     * @param purpose what the buffer's name begins with
     */
    EventReading(World world, EventOptions options, String purpose) {
        this.world = world;
        this.options = options;
        this.live = new LiveReading(world, purpose);
    }

    /**
     * Reads and prints.
     *
     * @param points names of points; all that this kernel has, if there is none
     * @param flags of their subscriptions
     * @param rawDirectory a folder that gets the records as they were read; null = none
     */
    void run(List<String> points, Set<Flag> flags, @Nullable Path rawDirectory) throws IOException {
        try (MagnetControl control = world.control().open()) {
            ModuleInfo module = control.info();
            List<PointInfo> known = control.points();
            List<String> chosen = PointChoice.of(points, known);
            NamingPoints naming = NamingPoints.beside(chosen, known);
            ThreadNames names = ThreadNames.ofRunning(thread -> ThreadComm.of(world.processes(), thread));
            OwnBuffer buffer = live.buffer(control, module, options.bufferBytes());
            ClockModel clockModel = module.clockModel();
            LiveFormats formats = Formats.of(world, module.layout(), control);
            RuleWords ruleWords = options.ruleWords(world, control);
            Map<String, Selection> wanted = new LinkedHashMap<>();
            Map<String, Integer> ids = PointChoice.ids(known);
            for (String point : chosen) {
                EventFormat event = Formats.event(formats, ids.getOrDefault(point, 0));
                wanted.put(point, options.selection(point, event, !points.isEmpty(), ruleWords));
            }
            OwnerPoints owning = options.verbose() ? owning(chosen, known, wanted) : null;
            Words words = options.raw() ? Words.none() : Formats.words(formats, control);
            RecordPrinter printer = new RecordPrinter(
                    world.out(),
                    format(clockModel, owning == null ? null : owning.owners(), formats, names, words),
                    options.count(),
                    options.pid());
            RecordHandler named = naming.before(names, printer);
            RecordHandler handler = owning == null ? named : owning.before(named);
            CollectorSettings settings = world.reading().withRawDirectory(rawDirectory);
            try (BufferReading reading =
                    BufferReading.open(buffer, "magnet-read", handler, clockModel, settings, flags)) {
                live.endsAtInterrupt(reading, world.out()::taken);
                readAndFinish(reading, naming, owning, names, wanted, printer);
            }
        }
    }

    /** Null where nobody can tell whose processes are. */
    private @Nullable OwnerPoints owning(List<String> chosen, List<PointInfo> known, Map<String, Selection> wanted)
            throws IOException {
        Optional<String> limited = OwnerPoints.limited(wanted);
        if (limited.isPresent()) {
            world.tell("processes have no owner: a rule, --sample or --not-self leaves out events of " + limited.get()
                    + ", which tell it; name other points with -p");
            return null;
        }
        return OwnerPoints.beside(chosen, known, world);
    }

    private void readAndFinish(
            BufferReading reading,
            NamingPoints naming,
            @Nullable OwnerPoints owning,
            ThreadNames names,
            Map<String, Selection> points,
            RecordPrinter printer)
            throws IOException {
        try {
            if (!options.json()) {
                world.out().line(heading());
            }
            naming.accompany(reading, world);
            if (owning != null) {
                owning.accompany(reading, world);
            }
            long began = world.clock().nanos();
            reading.subscribe(points);
            boolean overtime = read(reading, names, printer);
            finish(reading, owning != null, printer);
            if (owning != null) {
                live.tell(owning.withoutRoom());
            }
            if (overtime) {
                live.tell(Overtime.of(options.seconds(), world.clock().nanos() - began, points.size()));
            }
        } catch (Output.ClosedException e) {
            throw e.isByReader() ? e : new Failure(e.getMessage() + "; " + unwritten(reading, printer));
        }
    }

    /** How many events were logged for this command by now and are not in what it printed. */
    private String unwritten(BufferReading reading, RecordPrinter printer) {
        if (options.pid().isPresent()) {
            return Counted.were(printer.written(), "event") + " written before";
        }
        try {
            long wanted =
                    Math.max(printer.printed(), Math.min(reading.subscriptions().logged(), options.count()));
            return "up to " + Counted.were(wanted - printer.written(), "event") + " not written";
        } catch (IOException e) {
            return "how many events were not written is not known: " + Complaint.about(e);
        }
    }

    private RecordFormat format(
            ClockModel clockModel, @Nullable Owners owners, LiveFormats formats, ThreadNames names, Words words) {
        if (options.json()) {
            return new JsonFormat(clockModel, owners, formats, names, words);
        }
        RecordFormat text =
                new TextFormat(clockModel, world.zone().get(), options.verbose(), owners, formats, names, words);
        int columns = world.columns();
        return columns == Folding.NEVER ? text : new FoldedFormat(text, columns, columns / FOLDED_INDENT);
    }

    private String heading() {
        String heading = TextFormat.heading();
        return heading.substring(0, Math.min(heading.length(), world.columns()));
    }

    /** Returns whether it was the time that ended it. */
    private boolean read(BufferReading reading, ThreadNames names, RecordPrinter printer) throws IOException {
        printer.flush();
        long start = world.clock().nanos();
        long longest = (long) (options.seconds() * NANOS_PER_SECOND);
        return live.read(reading, start, longest, printer::isDone, (now, left) -> {
            names.at(now);
            reading.work(LiveReading.sleepMillis(left));
            printer.flush();
        });
    }

    private void finish(BufferReading reading, boolean owned, RecordPrinter printer) throws IOException {
        if (reading.hasEnded()) {
            live.tellRemoved(Counted.of(printer.printed(), "event") + " printed");
            return;
        }
        HitCounts hits = reading.end();
        printer.flush();
        world.tell(Counted.of(printer.printed(), "event") + " printed; " + Subscriptions.account(hits)
                + Unread.late(reading)
                + (owned ? OwnerPoints.lost(reading.accompanying()) : NamingPoints.lost(reading.accompanying())));
        live.tell(LossAdvice.of(hits.plus(reading.accompanying()), options.bufferBytes()));
        boolean lost = hits.dropped() + hits.missed() > 0;
        live.tell(LossAdvice.ofOwn(lost, printer.own(), printer.printed()));
    }
}
