// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code magnet hist}: how large a field of events is. */
@Command(
        name = "hist",
        header = "Draw histograms of a field of events, in powers of two.",
        description = {
            "",
            "Reads into a buffer of its own, beside the service, and prints histograms as bpftrace does when there were"
                    + " enough events, when the time is over, or on Ctrl-C; with -i after each interval, too. Then it"
                    + " says what was lost. What it switched on is off again afterwards.",
            "",
            "FIELD is a number that the events of POINT have (docs/record-format.md): len, bytes, latency. KEY, as in"
                    + " \"magnet count\", makes a histogram for each process, cpu, device and so on; several have"
                    + " commas between them. Several points make one histogram; \"by point\" tells them apart."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet hist -p udp_sendmsg len -d 10",
            "  magnet hist -p block_rq_complete bytes by device,op -i 1",
            "  magnet hist --trace /tmp/trace -p tcp_sendmsg len by process"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class HistCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "FIELD [by KEY]",
            arity = "0..*",
            hideParamSyntax = true,
            description = "The field, and what it is grouped by.")
    private List<String> words = new ArrayList<>();

    @Mixin
    private AggregateOptions options = new AggregateOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public HistCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        options.check(spec.commandLine());
        AggregateOptions.check(
                spec.commandLine(),
                !options.points().isEmpty(),
                "which point? Say it with -p POINT, such as -p udp_sendmsg");
        AggregateOptions.check(
                spec.commandLine(),
                !words.isEmpty(),
                "which field of the point? Say it behind, such as -p udp_sendmsg len");
        List<String> by = AggregateOptions.keys(spec.commandLine(), words.subList(1, words.size()));
        return new Aggregation(world, "hist", options, words.get(0), by).run();
    }
}
