// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.cli;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.cluster.recording.Machine;
import magnet.cluster.wire.Kind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code magnet cluster stop}: ends recordings before their time. */
@Command(
        name = "stop",
        header = "End recordings at one instant, before their time.",
        description = {
            "",
            "Without RUN each node ends whatever it records. A run that has not begun then never does. Names the nodes that"
                    + " have not answered; these end by themselves when the run's time is over."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet cluster stop",
            "      # all nodes end what they record, in two seconds",
            "  sudo magnet cluster stop --at +10s --nodes n1",
            "      # one node, in ten seconds",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/cluster.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class ClusterStopCommand implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "RUN", description = "The name that start has printed.")
    private @Nullable String run;

    @Option(
            names = "--at",
            paramLabel = "TIME",
            converter = InstantOption.Converter.class,
            description = "When to end: from now on such as +5s, or an instant such as 2026-11-27T19:00:00Z."
                    + " Default: ${DEFAULT-VALUE}",
            defaultValue = "+2s")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private InstantOption at;

    @Mixin
    private NodesOption nodes = new NodesOption();

    private final World world;

    ClusterStopCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        Orders orders = Orders.of(world, nodes);
        Map<String, Map<String, String>> answers = orders.give(
                Kind.STOP, orders.newId(), at.at(Machine.wallNow()), 0, run == null ? "" : run, Orders.ANSWERS);
        boolean complete = orders.complain(answers);
        if (run != null && answers.values().stream().noneMatch(each -> run.equals(each.get("run")))) {
            world.tell("no node has " + run + " as its last run; magnet cluster status shows what each one records");
            return ExitCode.SOFTWARE;
        }
        return complete ? ExitCode.OK : ExitCode.SOFTWARE;
    }
}
