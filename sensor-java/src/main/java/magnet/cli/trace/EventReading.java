// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.cli.world.Complaint;
import magnet.cli.world.Failure;
import magnet.cli.world.Formats;
import magnet.cli.world.Interruption;
import magnet.cli.world.Output;
import magnet.cli.world.PointChoice;
import magnet.cli.world.Unread;
import magnet.cli.world.World;
import magnet.control.Flag;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.Selection;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.BufferReading;
import magnet.measure.OwnBuffer;
import magnet.measure.Subscriptions;
import magnet.record.ClockModel;
import magnet.trace.LiveFormats;
import org.jspecify.annotations.Nullable;

/**
 * Lets events of some points go to a buffer of its own and prints them until there were enough, the time is over, the
 * user interrupts or nobody reads the output any more; then says what was lost. For one run.
 */
public final class EventReading {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int LONGEST_WAIT_MS = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final World world;
    private final EventOptions options;
    private final String name;

    /**
     * A reading.
     *
     * @param purpose what the buffer's name begins with
     */
    EventReading(World world, EventOptions options, String purpose) {
        this.world = world;
        this.options = options;
        this.name = purpose + "-" + ProcessHandle.current().pid();
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
            OwnBuffer buffer =
                    OwnBuffer.create(control, module, world.buffers(), name, MagnetControl.BUFFER_SIZE_DEFAULT);
            ClockModel clockModel = module.clockModel();
            LiveFormats formats = Formats.of(world, module.layout(), control);
            RecordPrinter printer =
                    new RecordPrinter(world.out(), format(clockModel, formats), options.count(), options.tgid());
            CollectorSettings settings = world.reading().withRawDirectory(rawDirectory);
            try (BufferReading reading =
                    BufferReading.open(buffer, "magnet-read", printer, clockModel, settings, flags)) {
                world.interruption()
                        .onInterrupt(new Interruption.Ending(
                                reading::stop,
                                () -> world.out().taken() + reading.ended(),
                                () -> Unread.of(world, name, 0)));
                Map<String, Selection> wanted = new LinkedHashMap<>();
                chosen.forEach(point -> wanted.put(point, options.selection(point, !points.isEmpty())));
                readAndFinish(reading, wanted, printer);
            }
        }
    }

    private void readAndFinish(BufferReading reading, Map<String, Selection> points, RecordPrinter printer)
            throws IOException {
        try {
            if (!options.json()) {
                world.out().line(TextFormat.heading());
            }
            reading.subscribe(points);
            read(reading, printer);
            finish(reading, printer);
        } catch (Output.ClosedException e) {
            throw e.isByReader() ? e : new Failure(e.getMessage() + "; " + unwritten(reading, printer));
        }
    }

    /** How many events were logged for this command by now and are not in what it printed. */
    private String unwritten(BufferReading reading, RecordPrinter printer) {
        if (options.tgid().isPresent()) {
            return printer.written() + " events were written before";
        }
        try {
            long wanted =
                    Math.max(printer.printed(), Math.min(reading.subscriptions().logged(), options.count()));
            return "up to " + (wanted - printer.written()) + " events were not written";
        } catch (IOException e) {
            return "how many events were not written is not known: " + Complaint.about(e);
        }
    }

    private RecordFormat format(ClockModel clockModel, LiveFormats formats) {
        return options.json()
                ? new JsonFormat(clockModel, formats)
                : new TextFormat(clockModel, world.zone().get(), options.verbose(), formats);
    }

    private void read(BufferReading reading, RecordPrinter printer) throws IOException {
        printer.flush();
        long start = world.clock().nanos();
        long longest = (long) (options.seconds() * NANOS_PER_SECOND);
        while (!printer.isDone() && !reading.isStopped() && !reading.hasEnded()) {
            long left = longest - (world.clock().nanos() - start);
            if (left <= 0) {
                return;
            }
            reading.work(Math.min(LONGEST_WAIT_MS, left / NANOS_PER_MILLI + 1));
            printer.flush();
        }
    }

    private void finish(BufferReading reading, RecordPrinter printer) throws IOException {
        if (reading.hasEnded()) {
            world.tell(printer.printed() + " events printed, then somebody else removed the buffer");
            return;
        }
        HitCounts hits = reading.end();
        printer.flush();
        world.tell(printer.printed() + " events printed; " + Subscriptions.account(hits) + Unread.late(reading));
    }
}
