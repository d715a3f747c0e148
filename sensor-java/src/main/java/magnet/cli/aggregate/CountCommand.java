// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code magnet count}: how many events there are, by whatever they have. */
@Command(
        name = "count",
        header = "Count events by process, CPU, device, port or any other field.",
        description = {
            "",
            "Reads from a buffer of its own, beside the service's. Prints a table after --count events, after"
                    + " --duration, or on Ctrl-C; with -i after each interval, too. Then it says what was lost. It"
                    + " switches off again what it switched on.",
            "",
            "KEY is process, thread, cpu, point, job, device, port (of the destination), sport, dport, protocol, saddr,"
                    + " daddr, or a field of the point (" + ReadOn.DOCS + "/record-format.md, " + ReadOn.DOCS
                    + "/aggregate.md); several have commas between them. Without KEY each point is counted, without"
                    + " -p all that this kernel has.",
            "",
            "Numbers that have a word, such as task states, protocols and system calls, are printed as words; --raw"
                    + " prints the numbers. Rules take both."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet count -p udp_sendmsg by process,job -d 10",
            "      # who sends datagrams and for which job, over ten seconds",
            "  sudo magnet count -p kfree_skb by reason,port -i 1",
            "      # dropped packets each second, by reason and port",
            "  sudo magnet count -p sys_enter by nr --pid 4711 --top 5",
            "      # the five system calls that a process makes most, until Ctrl-C",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/aggregate.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class CountCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "[by KEY]",
            arity = "0..*",
            hideParamSyntax = true,
            description = "Count events separately for each value of KEY.")
    private List<String> words = new ArrayList<>();

    @Mixin
    private AggregateOptions options = new AggregateOptions();

    private final World world;

    public CountCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        options.check();
        return new Aggregation(world, "count", options, "", options.keys(words)).run();
    }
}
