// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import magnet.config.NearestName;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointFunction;
import magnet.control.PointInfo;
import magnet.control.SubscriptionInfo;
import magnet.magnetfs.Collector;
import magnet.record.ClockModel;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code magnet read}: prints events as they happen. */
@Command(
        name = "read",
        header = "Print events as they happen, of all CPUs in the order of time.",
        description = {
            "",
            "Reads into a buffer of its own, beside the service. Ends when there were enough events, when the time is"
                    + " over, on Ctrl-C, or when nobody reads its output any more; then says what was lost. What it"
                    + " switched on is off again afterwards."
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class ReadCommand implements Callable<Integer> {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int LONGEST_WAIT_MS = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    @Option(
            names = {"-p", "--point"},
            paramLabel = "POINT",
            description = "A point to read; may be given several times. All points that this kernel has, by default.")
    private List<String> points = new ArrayList<>();

    @Option(
            names = {"-n", "--count"},
            paramLabel = "COUNT",
            description = "End after so many events.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "SECONDS",
            description = "End after so many seconds.")
    private @Nullable Double seconds;

    @Option(names = "--tgid", paramLabel = "PROCESS", description = "Print events of this process only.")
    private @Nullable Integer tgid;

    @Option(
            names = "--raw",
            paramLabel = "FOLDER",
            description = "Also keep the records as they were read, in FOLDER/cpuN.raw.")
    private @Nullable Path rawDirectory;

    @Option(names = "--json", description = "Print one JSON object per event.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    ReadCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        if (count <= 0) {
            throw new ParameterException(spec.commandLine(), "COUNT must be at least 1");
        }
        if (seconds != null && !(seconds > 0)) {
            throw new ParameterException(spec.commandLine(), "SECONDS must be more than 0");
        }
        if (rawDirectory != null) {
            Files.createDirectories(rawDirectory);
        }
        try (MagnetControl control = world.control().open()) {
            ModuleInfo module = control.info();
            List<String> chosen = choose(control.points());
            String buffer = "read-" + ProcessHandle.current().pid();
            control.createBuffer(buffer, MagnetControl.BUFFER_SIZE_DEFAULT, Set.of());
            ClockModel clockModel = module.clockModel();
            RecordPrinter printer = new RecordPrinter(
                    world.out(),
                    json ? new JsonFormat(clockModel) : new TextFormat(clockModel, world.zone()),
                    count,
                    tgid == null ? OptionalInt.empty() : OptionalInt.of(tgid));
            try (Collector collector = Collector.open(
                    world.buffers().find(buffer),
                    module.layout(),
                    clockModel,
                    printer,
                    world.reading().withRawDirectory(rawDirectory))) {
                world.interruption().onInterrupt(collector::stop);
                for (String point : chosen) {
                    control.subscribe(point, buffer, Set.of());
                }
                read(collector, printer);
                finish(control, buffer, collector, printer);
            }
        }
        return ExitCode.OK;
    }

    private List<String> choose(List<PointInfo> known) throws Failure {
        List<String> chosen = new ArrayList<>();
        for (String name : points) {
            Optional<PointInfo> point =
                    known.stream().filter(each -> each.name().equals(name)).findFirst();
            if (point.isEmpty()) {
                List<String> names = known.stream().map(PointInfo::name).toList();
                throw new Failure("there is no point " + name + "; did you mean " + NearestName.of(name, names)
                        + "? (\"magnet points\" lists them)");
            }
            if (!point.get().isAvailable()) {
                throw new Failure("point " + name + " is missing on this kernel: it has none of "
                        + String.join(
                                ", ",
                                point.get().functions().stream()
                                        .map(PointFunction::tried)
                                        .flatMap(List::stream)
                                        .toList()));
            }
            if (!chosen.contains(name)) {
                chosen.add(name);
            }
        }
        if (points.isEmpty()) {
            known.stream().filter(PointInfo::isAvailable).map(PointInfo::name).forEach(chosen::add);
        }
        return chosen;
    }

    private void read(Collector collector, RecordPrinter printer) throws IOException {
        if (!json) {
            world.out().line(TextFormat.heading());
        }
        printer.flush();
        long deadline = seconds == null ? Long.MAX_VALUE : world.clock().nanos() + (long) (seconds * NANOS_PER_SECOND);
        while (!printer.isDone() && !collector.isStopped() && !collector.hasEnded()) {
            long left = deadline - world.clock().nanos();
            if (left <= 0) {
                return;
            }
            collector.doWork((int) Math.min(LONGEST_WAIT_MS, left / NANOS_PER_MILLI + 1));
            printer.flush();
        }
    }

    private void finish(MagnetControl control, String buffer, Collector collector, RecordPrinter printer)
            throws IOException {
        if (collector.hasEnded()) {
            world.tell(printer.printed() + " events printed, then somebody else removed the buffer");
            return;
        }
        List<SubscriptionInfo> subscriptions = control.subscriptions();
        collector.drain();
        control.removeBuffer(buffer);
        printer.flush();
        long hits = 0;
        long dropped = 0;
        for (SubscriptionInfo subscription : subscriptions) {
            if (subscription.buffer().equals(buffer)) {
                HitCounts total = subscription.total();
                hits += total.hits();
                dropped += total.dropped() + total.missed();
            }
        }
        world.tell("%d events printed; of %d hits %s were lost"
                .formatted(printer.printed(), hits, dropped == 0 ? "none" : Long.toString(dropped)));
    }
}
