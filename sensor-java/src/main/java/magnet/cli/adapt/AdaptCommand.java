// SPDX-License-Identifier: Apache-2.0
package magnet.cli.adapt;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import magnet.adapt.AdaptationPlan;
import magnet.cli.world.Complaint;
import magnet.cli.world.Lockdown;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.MagnetControl;
import magnet.control.ModuleNotLoadedException;
import magnet.os.Errno;
import magnet.os.OsException;
import magnet.service.ExitCode;
import magnet.unit.ByteSize;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code magnet adapt}: acts when a metric crosses a bound. */
@Command(
        name = "adapt",
        header = "Run commands when metrics cross bounds, and when they are back.",
        description = {
            "",
            "Measures the metrics of the conditions in a buffer of its own, beside the service, and hooks only the points"
                    + " that they need. At the end of an interval a condition may begin to hold, or end; each change"
                    + " is a line. In between nothing is printed.",
            "",
            "Commands are run by \"sh -c\", one at a time, with their output on standard error and no input. MAGNET_STATE"
                    + " is \"begins\" or \"ends\"; MAGNET_CONDITION, MAGNET_METRIC, MAGNET_VALUE, MAGNET_UNIT and"
                    + " MAGNET_LOST (events) say why. What is due meanwhile waits; if the condition has changed"
                    + " back by then, neither command is run, and a line says so. One that fails is told of in a"
                    + " line, and nothing else follows from it.",
            "",
            "In an interval that lost events values are too low: what is below a bound is not believed then. When"
                    + " magnet adapt ends, conditions that hold end with it, and their --else commands are run."
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all went well",
            "1:it did not; one line says why",
            "2:the command line is wrong, as where there is no such metric",
            "5:the kernel module is not loaded",
            "6:a right is missing",
            "7:measuring ended before it was told to, as when the module is unloaded"
        })
public final class AdaptCommand implements Callable<Integer> {
    @ArgGroup(exclusive = false, multiplicity = "1..*")
    private List<AdaptRule> rules = new ArrayList<>();

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "TIME",
            description = "How long each measurement is; 1 second by default.")
    private TimeSpan interval = new TimeSpan(Duration.ofSeconds(1));

    @Option(
            names = {"-n", "--count"},
            paramLabel = "COUNT",
            description = "End after so many changes.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            description = "End after such a time: 10 (seconds), 0.5, 90s, 5m, 1h.")
    private @Nullable TimeSpan duration;

    @Option(
            names = "--buffer-size",
            paramLabel = "SIZE",
            description = "Memory for events that are not read yet: bytes per CPU, such as 1M; 256K by default.")
    private ByteSize buffer = new ByteSize(MagnetControl.BUFFER_SIZE_DEFAULT);

    @Option(names = "--json", description = "Print one JSON object per change.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public AdaptCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        AdaptationPlan plan = plan();
        double seconds = duration == null ? Double.POSITIVE_INFINITY : duration.seconds();
        try {
            return new AdaptRun(world, rules, json, count, seconds).run(plan);
        } catch (ModuleNotLoadedException e) {
            world.tell(Complaint.about(new Lockdown(world.lockdown()).explained(e)));
            return ExitCode.NO_MODULE.code();
        } catch (OsException e) {
            if (e.errno() != Errno.EPERM && e.errno() != Errno.EACCES) {
                throw e;
            }
            world.tell(Complaint.about(e));
            return ExitCode.NO_PERMISSION.code();
        }
    }

    private AdaptationPlan plan() {
        if (count < 1) {
            throw new ParameterException(spec.commandLine(), "COUNT must be at least 1");
        }
        try {
            return new AdaptationPlan(
                    rules.stream().map(AdaptRule::condition).toList(), interval.duration(), buffer.bytes());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }
}
