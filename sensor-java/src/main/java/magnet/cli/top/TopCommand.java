// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import magnet.cli.world.Lockdown;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.MagnetControl;
import magnet.control.ModuleNotLoadedException;
import magnet.metric.TopOrder;
import magnet.unit.ByteSize;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
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
            "Watches what the service publishes by default, and whole journeys and processes with it; reads it into a"
                    + " buffer of its own, beside the service, and summarises it as the service does. Each window is"
                    + " one interval. On a terminal it is drawn in place until q or Ctrl-C; elsewhere, or with"
                    + " --batch, each window is a block of plain text.",
            "",
            "Keys on a terminal: c, w and s rank processes by CPU time, wait and switches, from the next window on;"
                    + " the space bar holds the screen and lets it go on; q quits.",
            "",
            "LOST stands at the top: events that were lost in this window and since the start, whatever the cause, by"
                    + " the module's own counters; which points lost them is listed. LATENCY is what took so long:"
                    + " the median, 99 percent, the longest. Send is from socket to device, receive from device to"
                    + " program, TCP's to its connection. CPU %% is of one CPU; WAIT %% is the time that a process's"
                    + " threads waited for one, all together; SWITCHES/S how often they left one.",
            "",
            "A character in a process's name that is not printable ASCII is shown by its bytes, as \\x1b."
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class TopCommand implements Callable<Integer> {
    private static final TimeSpan SHORTEST = new TimeSpan(Duration.ofMillis(100));
    private static final TimeSpan LONGEST = new TimeSpan(Duration.ofHours(1));
    private static final int PROCESSES_OF_BLOCK = 10;
    private static final int PROCESSES_MOST = 1_000;
    /** More than fit on most terminals. */
    private static final int PROCESSES_OF_SCREEN = 100;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "TIME",
            description = "Length of a window, and so time between two: 0.1s to 1h; 1 second by default.")
    private TimeSpan interval = new TimeSpan(Duration.ofSeconds(1));

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "End after so many windows.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = {"-b", "--batch"},
            description = "Write blocks of plain text, also to a terminal.")
    private boolean batch;

    @Option(
            names = {"-s", "--sort"},
            paramLabel = "ORDER",
            description = "What processes are ranked by: cpu, wait or switches; cpu by default, marked with a star.")
    private TopOrder order = TopOrder.CPU;

    @Option(
            names = "--processes",
            paramLabel = "N",
            description = "Show so many processes; 10 by default, on a terminal as many as fit.")
    private @Nullable Integer processes;

    @Option(
            names = {"-p", "--point"},
            paramLabel = "POINT",
            description = "Count events of this point, too; may be given several times.")
    private List<String> points = new ArrayList<>();

    @Option(
            names = "--buffer-size",
            paramLabel = "SIZE",
            description = "Memory for events that are not read yet: bytes per CPU, such as 1M; 256K by default.")
    private ByteSize buffer = new ByteSize(MagnetControl.BUFFER_SIZE_DEFAULT);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public TopCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        check(
                interval.nanos() >= SHORTEST.nanos() && interval.nanos() <= LONGEST.nanos(),
                "--interval TIME must be from 0.1s to 1h");
        check(count >= 1, "--count N must be at least 1");
        check(
                processes == null || (processes >= 0 && processes <= PROCESSES_MOST),
                "--processes N must be at least 0, at most " + PROCESSES_MOST);
        TopScreen screen = new TopScreen(world.out(), batch, world.screen());
        int most = screen.isTerminal() ? PROCESSES_OF_SCREEN : PROCESSES_OF_BLOCK;
        TopReading.Plan plan = new TopReading.Plan(
                interval.nanos(), count, buffer.bytes(), order, processes == null ? most : processes, points);
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
