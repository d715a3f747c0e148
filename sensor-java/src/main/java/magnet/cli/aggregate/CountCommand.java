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

/** {@code magnet count}: how many events there are, by whatever they have. */
@Command(
        name = "count",
        header = "Count events by process, CPU, device, port or any field of theirs.",
        description = {
            "",
            "Reads into a buffer of its own, beside the service, and prints a table when there were enough events, when"
                    + " the time is over, or on Ctrl-C; with -i after each interval, too. Then it says what was lost."
                    + " What it switched on is off again afterwards.",
            "",
            "KEY is process, thread, cpu, point, device, port (of the destination), sport, dport, protocol, saddr,"
                    + " daddr, or a field of the point (docs/record-format.md, docs/aggregate.md); several have commas"
                    + " between them. Without KEY each point is counted, without -p all that this kernel has."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet count -p udp_sendmsg by process -d 10",
            "  magnet count -p kfree_skb by reason,port -i 1",
            "  magnet count -p sys_enter by nr --pid 4711 --top 5"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class CountCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "[by KEY]",
            arity = "0..*",
            hideParamSyntax = true,
            description = "What events are counted by.")
    private List<String> words = new ArrayList<>();

    @Mixin
    private AggregateOptions options = new AggregateOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public CountCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        options.check(spec.commandLine());
        List<String> by = AggregateOptions.keys(spec.commandLine(), words);
        return new Aggregation(world, "count", options, "", by).run();
    }
}
