// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import magnet.cli.world.BufferSizeOption;
import magnet.cli.world.CountOption;
import magnet.cli.world.IntervalOption;
import magnet.cli.world.Lockdown;
import magnet.cli.world.OwnerPoints;
import magnet.cli.world.PidOption;
import magnet.cli.world.PointChoice;
import magnet.cli.world.ProcessOrJob;
import magnet.cli.world.ReadOn;
import magnet.cli.world.RowsOption;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.MagnetControl;
import magnet.control.ModuleNotLoadedException;
import magnet.job.JobNames;
import magnet.metric.TopOrder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code magnet top}: what happens on this node right now. */
@Command(
        name = "top",
        header = "Show what happens right now: rates, latencies, processes, losses.",
        description = {
            "",
            "Watches everything that the service publishes by default, and also whole journeys and processes. Reads"
                    + " from a buffer of its own, beside the service's, and summarises events as the service does. Each"
                    + " window is one interval. On a terminal it draws windows in place until q or Ctrl-C; elsewhere,"
                    + " or with --batch, it prints each window as a block of plain text.",
            "",
            "Keys on a terminal: c, w and s rank processes by CPU time, wait and switches, from the next window on; f"
                    + " shows only processes with a text in their name; j, k, the arrows, PgUp and PgDn scroll them;"
                    + " the space bar holds the screen and lets it go on; ? shows the keys; q quits. A process keeps"
                    + " its row until it has clearly more or less than its neighbours.",
            "",
            "LOST, at the top, counts the events lost in this window and since the start, whatever the cause, by the"
                    + " module's own counters. A table names the points that lost them. LATENCY shows how long things"
                    + " took: the median, 99 percent, the longest. Send is from socket to device, receive from device"
                    + " to program, for TCP from device to connection. CPU %% is the share of one CPU. WAIT %% is the"
                    + " time that all threads of a process together waited for a CPU. SWITCHES/S is how often they"
                    + " left a CPU.",
            "",
            "With --by job, WAIT %% is the share of the time in which at least one thread of the job waited for a CPU;"
                    + " P99 and MAX are how long its threads waited, SLICES/S how often they left a CPU, SENT/S and"
                    + " RECEIVED/S bytes over UDP and TCP. WAITED FOR says whose threads those CPUs ran meanwhile, and"
                    + " for how much of the time: a job, which may be itself, none (no job, such as the kernel's own"
                    + " threads) or idle. Events do not name jobs, so a loss leaves processes unknown until the kernel"
                    + " has told them again.",
            "",
            "Control characters in a process's name, and bytes that are no UTF-8, appear as bytes, such as \\x1b."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet top",
            "      # the node now, drawn in place",
            "  sudo magnet top -b -n 3 -i 5s",
            "      # three blocks of text, five seconds each",
            "  sudo magnet top --by job -s wait",
            "      # which jobs wait for a CPU, and for whom",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/operating.md, " + ReadOn.DOCS + "/metrics.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class TopCommand implements Callable<Integer> {
    private static final Duration WINDOW = Duration.ofSeconds(1);
    private static final int PROCESSES_OF_BLOCK = 10;
    private static final int PROCESSES_MOST = TopReading.RANKED;

    @Mixin
    private final IntervalOption interval = new IntervalOption("Length of a window, 0.1s to 1h. Default: 1 second.");

    @Mixin
    private final CountOption count = new CountOption("End after COUNT windows.");

    @Option(
            names = {"-b", "--batch"},
            description = "Write blocks of plain text, even to a terminal.")
    private boolean batch;

    @Option(
            names = {"-s", "--sort"},
            paramLabel = "ORDER",
            description = "Rank processes by cpu, wait or switches; a star marks the column. Default: cpu.")
    private TopOrder order = TopOrder.CPU;

    @Option(
            names = "--by",
            paramLabel = "KEY",
            description = "Rank processes (process) or jobs (job). A job is what the list in magnet.conf says. Default:"
                    + " process.")
    private ProcessOrJob by = ProcessOrJob.PROCESS;

    @Mixin
    private final RowsOption processes =
            new RowsOption("Show at most N processes. Default: 10; on a terminal 1000, to scroll.", PROCESSES_MOST);

    @Option(
            names = "--pid",
            paramLabel = "PID",
            split = ",",
            description = "Show only these processes; may be given several times.")
    private List<Integer> pids = new ArrayList<>();

    @Option(names = "--name", paramLabel = "TEXT", description = "Show only processes whose name contains this text.")
    private String processName = "";

    @Option(
            names = "--job",
            paramLabel = "JOB",
            description =
                    "Show only processes of this job or control group. JOB is a job's name, such as slurm:4711, or"
                            + " the group's path or a part, such as ssh.service; then the groups in it count, too. Events do not name the control group, so the command reads /proc at"
                            + " the end of each window and leaves out processes that have ended by then.")
    private String job = "";

    @Option(
            names = "--device",
            paramLabel = "DEVICE",
            description = "Of the events that name a device, log only those of this network device or disk. Other"
                    + " events stay. Events name a network device by its number in its namespace, so a device with the"
                    + " same number in another namespace counts, too.")
    private @Nullable String device;

    @Option(names = "--json", description = "Print one JSON object per line, for each window.")
    private boolean json;

    @Option(
            names = {"-p", "--point"},
            split = ",",
            paramLabel = "POINT",
            description = "Count events of this point, too; several as a,b, or in several -p.")
    private List<String> points = new ArrayList<>();

    @Mixin
    private final BufferSizeOption buffer = new BufferSizeOption(
            "Memory for unread events, in bytes per CPU, such as 1M. Default: 256K.",
            MagnetControl.BUFFER_SIZE_DEFAULT);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public TopCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        interval.check(spec.commandLine());
        count.check(spec.commandLine());
        processes.check(spec.commandLine());
        check(pids.stream().allMatch(pid -> pid > 0), PidOption.WANTED);
        check(
                pids.isEmpty() || by == ProcessOrJob.PROCESS,
                "--pid chooses processes, and --by job shows jobs: leave one of them out");
        PointChoice.check(spec.commandLine(), "-p", points);
        buffer.check(spec.commandLine());
        TopScreen screen = new TopScreen(world.out(), batch, json, world.screen());
        int most = screen.isTerminal() ? PROCESSES_MOST : PROCESSES_OF_BLOCK;
        TopReading.Plan plan = new TopReading.Plan(
                interval.orElse(WINDOW).toNanos(),
                count.most(),
                buffer.bytes(),
                by == ProcessOrJob.JOB,
                by == ProcessOrJob.JOB ? OwnerPoints.names(world) : JobNames.DEFAULTS,
                order,
                processes.orElse(most),
                points,
                new TopFilter(
                        new HashSet<>(pids),
                        processName,
                        job,
                        job.isEmpty() ? JobNames.none() : OwnerPoints.names(world)),
                device == null ? Optional.empty() : Optional.of(TopDevice.named(device, world.root())));
        try {
            new TopReading(world, plan, screen).run();
        } catch (ModuleNotLoadedException e) {
            throw new Lockdown(world.lockdown()).explained(e);
        }
        return ExitCode.OK;
    }

    private void check(boolean good, String otherwise) {
        if (!good) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }
}
