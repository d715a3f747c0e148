// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import magnet.control.Flag;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.magnetfs.Collector;
import magnet.magnetfs.CollectorCounter;
import magnet.record.ClockModel;
import magnet.trace.LiveFormats;
import org.jspecify.annotations.Nullable;

/**
 * Lets events of some points go to a buffer of its own and prints them until there were enough, the time is over, the
 * user interrupts or nobody reads the output any more; then says what was lost. For one run.
 */
final class EventReading {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int LONGEST_WAIT_MS = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final World world;
    private final EventOptions options;
    private final String buffer;
    private final OwnSubscriptions own;

    /**
     * A reading.
     *
     * @param purpose what the buffer's name begins with
     */
    EventReading(World world, EventOptions options, String purpose) {
        this.world = world;
        this.options = options;
        this.buffer = purpose + "-" + ProcessHandle.current().pid();
        this.own = new OwnSubscriptions(buffer);
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
            List<String> chosen = PointChoice.of(points, control.points());
            control.createBuffer(buffer, MagnetControl.BUFFER_SIZE_DEFAULT, Set.of());
            ClockModel clockModel = module.clockModel();
            LiveFormats formats = Formats.of(world, module.layout(), control);
            RecordPrinter printer =
                    new RecordPrinter(world.out(), format(clockModel, formats), options.count(), options.tgid());
            try (Collector collector = Collector.open(
                    world.buffers().find(buffer),
                    module.layout(),
                    clockModel,
                    printer,
                    world.reading().withRawDirectory(rawDirectory))) {
                world.interruption()
                        .onInterrupt(new Interruption.Ending(
                                collector::stop,
                                () -> world.out().taken() + own.ended(),
                                () -> Unread.of(world, buffer, 0)));
                for (String point : chosen) {
                    control.subscribe(point, buffer, flags, options.selection(point, !points.isEmpty()));
                }
                readAndFinish(control, collector, printer);
            }
        }
    }

    private void readAndFinish(MagnetControl control, Collector collector, RecordPrinter printer) throws IOException {
        try {
            read(collector, printer);
            finish(control, collector, printer);
        } catch (Output.ClosedException e) {
            throw e.isByReader() ? e : new Failure(e.getMessage() + "; " + unwritten(control, printer));
        }
    }

    /** How many events were logged for this command by now and are not in what it printed. */
    private String unwritten(MagnetControl control, RecordPrinter printer) {
        if (options.tgid().isPresent()) {
            return printer.written() + " events were written before";
        }
        try {
            long wanted = Math.max(printer.printed(), Math.min(own.logged(control), options.count()));
            return "up to " + (wanted - printer.written()) + " events were not written";
        } catch (IOException e) {
            return "how many events were not written is not known: " + Complaint.about(e);
        }
    }

    private RecordFormat format(ClockModel clockModel, LiveFormats formats) {
        return options.json()
                ? new JsonFormat(clockModel, formats)
                : new TextFormat(clockModel, world.zone(), options.verbose(), formats);
    }

    private void read(Collector collector, RecordPrinter printer) throws IOException {
        if (!options.json()) {
            world.out().line(TextFormat.heading());
        }
        printer.flush();
        long start = world.clock().nanos();
        long longest = (long) (options.seconds() * NANOS_PER_SECOND);
        while (!printer.isDone() && !collector.isStopped() && !collector.hasEnded()) {
            long left = longest - (world.clock().nanos() - start);
            if (left <= 0) {
                return;
            }
            collector.doWork((int) Math.min(LONGEST_WAIT_MS, left / NANOS_PER_MILLI + 1));
            printer.flush();
        }
    }

    private void finish(MagnetControl control, Collector collector, RecordPrinter printer) throws IOException {
        if (collector.hasEnded()) {
            world.tell(printer.printed() + " events printed, then somebody else removed the buffer");
            return;
        }
        HitCounts hits = own.end(control);
        collector.drain(Unread.ringBytes(control, buffer));
        control.removeBuffer(buffer);
        printer.flush();
        world.tell(printer.printed() + " events printed; " + OwnSubscriptions.account(hits) + late(collector));
    }

    /** How many came too late to be in order, if any did. */
    static String late(Collector collector) {
        long late = collector.count(CollectorCounter.LATE);
        return late == 0 ? "" : "; " + late + " came after younger ones of other CPUs";
    }
}
