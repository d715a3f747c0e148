// SPDX-License-Identifier: Apache-2.0
package magnet.cli.adapt;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import magnet.adapt.AdaptationPlan;
import magnet.cli.record.SaveBounds;
import magnet.cli.world.BufferSizeOption;
import magnet.cli.world.Complaint;
import magnet.cli.world.CountOption;
import magnet.cli.world.DurationOption;
import magnet.cli.world.IntervalOption;
import magnet.cli.world.Lockdown;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.MagnetControl;
import magnet.control.ModuleNotLoadedException;
import magnet.os.Errno;
import magnet.os.OsException;
import magnet.service.ExitCode;
import magnet.unit.ByteSize;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code magnet adapt}: acts when a metric crosses a bound. */
@Command(
        name = "adapt",
        header = "Run commands when a metric crosses a bound, and when it is back.",
        description = {
            "",
            "Measures the metrics of the conditions in a buffer of its own, beside the service's, and hooks only the"
                    + " points that they need. It tests the conditions at the end of each interval. It prints a line"
                    + " when a condition begins to hold and when it ends, and nothing in between.",
            "",
            "It runs commands by \"sh -c\", one at a time, without input and with their output on standard error."
                    + " MAGNET_STATE is \"begins\" or \"ends\"; MAGNET_CONDITION, MAGNET_METRIC, MAGNET_VALUE,"
                    + " MAGNET_UNIT and MAGNET_LOST (events) say why. A command that is due meanwhile waits; if the"
                    + " condition has changed back by then, neither of its commands runs, and a line says so. If a"
                    + " command fails, a line says so, and nothing else happens.",
            "",
            "If an interval lost events, its values are too low, so magnet adapt does not trust a value below a bound"
                    + " then. When magnet adapt ends, conditions that hold end with it, and their --else commands run."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet adapt --when 'magnet_net_udp_send_packets_rate > 1000'",
            "      # a line whenever more than 1,000 datagrams a second are sent",
            "  sudo magnet adapt --when 'magnet_net_udp_send_packets_rate > 1000' \\",
            "      --until 'magnet_net_udp_send_packets_rate < 500' --then 'logger busy'",
            "      # a command when it begins, and not again before it fell below 500",
            "  sudo magnet adapt --when 'magnet_sched_run_queue_wait_p99 > 20000' \\",
            "      --save box -o /var/tmp/traces",
            "      # the last seconds before it began, of the flight recorder box",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/adapt.md, " + ReadOn.DOCS + "/metrics.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all went well",
            "1:something failed; one line says why",
            "2:the command line is wrong; for example, there is no such metric",
            "5:the kernel module is not loaded",
            "6:a right is missing",
            "7:measuring ended early, for example because the module was unloaded"
        })
public final class AdaptCommand implements Callable<Integer> {
    private static final Duration MEASUREMENT = Duration.ofSeconds(1);

    @ArgGroup(exclusive = false, multiplicity = "1..*")
    private List<AdaptRule> rules = new ArrayList<>();

    @Mixin
    private final IntervalOption interval = new IntervalOption("Length of each measurement. Default: 1 second.");

    @Mixin
    private final CountOption count = new CountOption("End after COUNT changes.");

    @Mixin
    private final DurationOption duration = new DurationOption(DurationOption.USUAL);

    @Mixin
    private final BufferSizeOption buffer = new BufferSizeOption(
            "Memory for unread events, in bytes per CPU, such as 1M. Default: 256K.",
            MagnetControl.BUFFER_SIZE_DEFAULT);

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FOLDER",
            description = "With --save: make a folder in FOLDER for each trace, named after the recorder and the time.")
    private @Nullable Path folder;

    @Option(
            names = "--min-free",
            paramLabel = "SIZE",
            description =
                    "With --save: leave this much of the file system free. Older traces are removed for it; if that"
                            + " is not enough, nothing is saved. Default: 1G.")
    private @Nullable ByteSize minFree;

    @Mixin
    private SaveBounds keep = new SaveBounds();

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
        try {
            return new AdaptRun(world, rules, saves(), json, count.most(), duration.seconds()).run(plan);
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

    private AdaptSaves saves() {
        boolean saves = rules.stream().anyMatch(rule -> rule.save() != null);
        if (saves != (folder != null)) {
            throw new ParameterException(spec.commandLine(), "--save RECORDER and -o FOLDER go together");
        }
        if (!saves && (minFree != null || keep.areGiven())) {
            throw new ParameterException(
                    spec.commandLine(), "--keep-traces, --keep-size, --pause and --min-free need --save RECORDER");
        }
        return new AdaptSaves(
                world, rules, folder, keep.bounds(spec.commandLine(), minFree), keep.pause(spec.commandLine()));
    }

    private AdaptationPlan plan() {
        count.check(spec.commandLine());
        buffer.check(spec.commandLine());
        try {
            return new AdaptationPlan(
                    rules.stream().map(AdaptRule::condition).toList(), interval.orElse(MEASUREMENT), buffer.bytes());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }
}
