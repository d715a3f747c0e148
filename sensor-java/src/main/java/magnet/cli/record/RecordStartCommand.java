// SPDX-License-Identifier: Apache-2.0
package magnet.cli.record;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import magnet.cli.world.BufferName;
import magnet.cli.world.BufferSizeOption;
import magnet.cli.world.Counted;
import magnet.cli.world.CounterSet;
import magnet.cli.world.Failure;
import magnet.cli.world.Formats;
import magnet.cli.world.JobRules;
import magnet.cli.world.NamingPoints;
import magnet.cli.world.OwnerPoints;
import magnet.cli.world.PointChoice;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.BufferInfo;
import magnet.control.ControlException;
import magnet.control.Flag;
import magnet.control.MagnetControl;
import magnet.control.PointInfo;
import magnet.control.Selection;
import magnet.job.JobNames;
import magnet.os.Errno;
import magnet.recorder.Recorder;
import magnet.trace.RuleWords;
import magnet.unit.ByteSize;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code magnet record start}: makes a flight recorder, and lets points log into it. */
@Command(
        name = "start",
        header = "Start a flight recorder, which goes on without this command.",
        description = {
            "",
            "Returns as soon as all points log. The points sched_process_fork, sched_process_exec, sched_process_exit"
                    + " and task_rename log as well, so that traces say what threads are called, and cgroup_mkdir,"
                    + " cgroup_rmdir and task_attach, so that they say whose they are."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet record start box -p sched_switch,udp_sendmsg --buffer-size 8M",
            "      # from now on the newest 8M of events of each CPU are kept",
            "  sudo magnet record start drops -p kfree_skb,netif_receive_skb \\",
            "      --filter 'drop if cpu == 0'",
            "      # rules decide in the kernel what is kept",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/operating.md, " + ReadOn.DOCS + "/control.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class RecordStartCommand implements Callable<Integer> {
    private static final Set<Flag> STAYS = EnumSet.of(Flag.PERSISTENT);

    @Parameters(
            paramLabel = "NAME",
            description = "Name of the flight recorder: letters, digits, '_', '-' and '.', but no '.' in front.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String name;

    @Option(
            names = {"-p", "--point"},
            required = true,
            split = ",",
            paramLabel = "POINT",
            description = "Record this point; several as a,b, or in several -p.")
    private List<String> points = new ArrayList<>();

    @Option(
            names = {"--buffer-size", "--flight-recorder"},
            paramLabel = "SIZE",
            description =
                    "Memory for the newest events of each CPU, 64K to 256M, rounded up to a power of two. Default:"
                            + " 256K. A larger size reaches further back.")
    private ByteSize size = new ByteSize(MagnetControl.BUFFER_SIZE_DEFAULT);

    @Option(
            names = "--filter",
            paramLabel = "RULE",
            description = "A rule that decides in the kernel which events are logged, such as 'drop if id & 1' or"
                    + " 'urgent if len > 60000' (" + ReadOn.DOCS
                    + "/control.md); several rules apply in their order, at each point.")
    private List<String> filters = List.of();

    private JobRules rules = JobRules.NONE;

    @Option(names = "--sample", paramLabel = "N", description = "Log only one of N events of each point.")
    private @Nullable Long sample;

    @Option(
            names = "--snap",
            paramLabel = "BYTES",
            description = "Log up to this many bytes of each packet, at most 4000.")
    private @Nullable ByteSize snap;

    @Option(
            names = "--counters",
            paramLabel = "NAMES",
            description = "After each event, counters of its CPU, such as 'instructions,cache_misses': "
                    + CounterSet.WANTED + ".")
    private @Nullable CounterSet counters;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;
    private final AtomicBoolean interrupted = new AtomicBoolean();

    RecordStartCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        check();
        rules = JobRules.of(filters, world);
        world.interruption().onInterrupt(() -> interrupted.set(true));
        try (MagnetControl control = world.control().open()) {
            List<PointInfo> known = control.points();
            List<String> chosen = PointChoice.of(points, known);
            Map<String, Selection> selections = selections(control, chosen);
            BufferInfo made = make(control);
            fill(
                    control,
                    selections,
                    NamingPoints.beside(chosen, known).points(),
                    OwnerPoints.beside(chosen, known, JobNames.none()).points());
            world.tell("flight recorder " + name + " keeps the newest " + new ByteSize(made.size())
                    + " of each CPU's events of " + Counted.of(chosen.size(), "point")
                    + ", without this command; \"magnet record save " + name + " -o FOLDER\" saves them");
        }
        return ExitCode.OK;
    }

    private void check() {
        BufferName.check(spec.commandLine(), "NAME", name, Recorder.NAME_MOST);
        if (Recorder.isOfSnapshot(name)) {
            complain("NAME must not end with '" + Recorder.SNAPSHOT
                    + "': the snapshot of a recorder that is saved has such a name");
        }
        PointChoice.check(spec.commandLine(), "-p", points);
        BufferSizeOption.check(spec.commandLine(), size.bytes());
        if (sample != null && (sample <= 0 || sample > Integer.MAX_VALUE)) {
            complain("--sample N must be at least 1, at most " + Integer.MAX_VALUE);
        }
        if (snap != null && snap.bytes() > Selection.SNAP_BYTES_MOST) {
            complain("--snap BYTES must be at most " + Selection.SNAP_BYTES_MOST);
        }
    }

    private void complain(String what) {
        throw new ParameterException(spec.commandLine(), what);
    }

    private BufferInfo make(MagnetControl control) throws IOException {
        try {
            return control.createBuffer(name, size.bytes(), EnumSet.of(Flag.PERSISTENT, Flag.OVERWRITE));
        } catch (ControlException e) {
            if (e.errno() == Errno.EEXIST) {
                throw new Failure("there is already a buffer or flight recorder " + name
                        + "; choose another name, or end it:" + " magnet record stop " + name);
            }
            throw e;
        }
    }

    /** All points, or nothing is left: names and owners come first, so that nothing begins without them. */
    private void fill(MagnetControl control, Map<String, Selection> chosen, List<String> naming, List<String> owning)
            throws IOException {
        boolean filled = false;
        try {
            accompany(control, naming, "threads that begin from now on may have no names");
            accompany(control, owning, OwnerPoints.NOT_HAD);
            for (Map.Entry<String, Selection> each : chosen.entrySet()) {
                if (interrupted.get()) {
                    throw new Failure("interrupted; flight recorder " + name + " was not started");
                }
                control.subscribe(each.getKey(), name, STAYS, each.getValue());
            }
            filled = true;
        } finally {
            if (!filled) {
                control.removeBuffer(name);
            }
        }
    }

    /** Traces without names and owners are better than none. */
    private void accompany(MagnetControl control, List<String> companions, String complaint) throws IOException {
        for (String point : companions) {
            try {
                control.subscribe(point, name, STAYS);
            } catch (ControlException e) {
                if (e.errno() == Errno.EPERM) {
                    throw e;
                }
                world.tell(complaint + ": " + point + ": " + e.kernelText().orElse(String.valueOf(e.getMessage())));
            }
        }
    }

    private Map<String, Selection> selections(MagnetControl control, List<String> chosen) throws IOException {
        RuleWords words = Formats.ruleWords(world, control, rules.rules());
        Map<String, Selection> selections = new LinkedHashMap<>();
        for (String point : chosen) {
            rules.check(point, null);
            selections.put(point, selection(words.numbered(point, String.join("; ", rules.rules()))));
        }
        return selections;
    }

    private Selection selection(String rules) {
        Selection selection = rules.isEmpty() ? Selection.NONE : Selection.NONE.withRules(rules);
        if (sample != null) {
            selection = selection.withSampleCount(sample);
        }
        if (snap != null) {
            selection = selection.withSnapBytes(snap.bytes());
        }
        return counters == null ? selection : selection.withCounters(counters.counters());
    }
}
