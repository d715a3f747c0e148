// SPDX-License-Identifier: Apache-2.0
package magnet.cli.bench;

import java.io.IOException;
import java.util.concurrent.Callable;
import magnet.bench.Bench;
import magnet.bench.JumpOptimisation;
import magnet.bench.ModuleSensor;
import magnet.bench.Plan;
import magnet.bench.Report;
import magnet.cli.world.Lockdown;
import magnet.cli.world.ProgressLine;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.ModuleNotLoadedException;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code magnet bench}: what an event costs on this machine. */
@Command(
        name = "bench",
        header = "Measure what an event costs on this machine, by each kind of probe.",
        description = {
            "",
            "Measures the MAGNET paper's Table 2 on this machine. Beside each probe of the paper stands the one that"
                    + " replaces it; tracepoints, which the paper did not have, follow. It takes some seconds on an"
                    + " idle machine.",
            "",
            "In each round this process makes the same cheap system calls with a point on and with it off. COST NS is"
                    + " the median of the differences per call; half of the differences lie in MIDDLE HALF. The cost"
                    + " includes the event's record, at least 32 bytes, which nobody reads meanwhile. HERE says how the"
                    + " kernel really hooked the point. EVENTS is the number of logged events; if it is not the number"
                    + " of calls, the command fails.",
            "",
            "The points and the buffer are its own and end with it, also on Ctrl-C."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet bench",
            "      # some seconds; the machine should be idle",
            "  sudo magnet bench --rounds 200",
            "      # longer, if the figures are too noisy",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/overhead.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class BenchCommand implements Callable<Integer> {
    private static final int CALLS_MOST = 100_000;
    private static final int ROUNDS_MOST = 1_000_000;

    @Option(
            names = "--calls",
            paramLabel = "N",
            description = "Make N system calls with the point on and N with it off in each round. Default: 2000.")
    private int calls = 2_000;

    @Option(names = "--rounds", paramLabel = "N", description = "Measure N rounds for each kind of probe. Default: 25.")
    private int rounds = 25;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public BenchCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        check("--calls", calls, CALLS_MOST);
        check("--rounds", rounds, ROUNDS_MOST);
        Plan plan = new Plan(calls, rounds);
        ProgressLine progress = new ProgressLine(world);
        try (ModuleSensor sensor = open(plan)) {
            Bench bench = new Bench(sensor, world.caller(), world.clock(), new JumpOptimisation(world.processes()));
            Report report = bench.run(plan, progress::show);
            progress.clear();
            BenchReport result = new BenchReport(plan, report);
            if (json) {
                world.out().line(result.json());
            } else {
                result.print(world.out(), world.columns());
            }
        } finally {
            progress.clear();
        }
        return ExitCode.OK;
    }

    private ModuleSensor open(Plan plan) throws IOException {
        try {
            return ModuleSensor.open(world.control().open(), world.buffers(), world.reading(), plan);
        } catch (ModuleNotLoadedException e) {
            throw new Lockdown(world.lockdown()).explained(e);
        }
    }

    private void check(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new ParameterException(spec.commandLine(), option + " N must be at least 1, at most " + most);
        }
    }
}
