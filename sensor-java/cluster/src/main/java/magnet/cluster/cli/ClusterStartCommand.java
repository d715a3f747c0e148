// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.cli;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import magnet.cli.world.Counted;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.cluster.recording.Machine;
import magnet.cluster.recording.Run;
import magnet.cluster.recording.StartText;
import magnet.cluster.wire.Kind;
import magnet.json.Json;
import magnet.unit.TimeSpan;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code magnet cluster start}: lets all nodes begin a recording at one instant. */
@Command(
        name = "start",
        header = "Let all nodes record from one instant on.",
        description = {
            "",
            "Sends the order five times within 1.5 s, and waits for the answers until a second before the begin. Names the"
                    + " nodes that have not answered or refuse, and then ends with exit code 1; the others record all the"
                    + " same. Prints the name of the run.",
            "",
            "Each node cuts its trace at the instant by time stamps. So the begin is as exact as the nodes' clocks are:"
                    + " \"magnet cluster status\" shows the bound that each kernel knows."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet cluster start default --for 10s",
            "      # in five seconds all nodes begin to record, and end ten seconds later",
            "  sudo magnet cluster start default --at +30s --nodes n1,n2",
            "      # two nodes, in half a minute",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/cluster.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class ClusterStartCommand implements Callable<Integer> {
    private static final Duration BEFORE_BEGIN = Duration.ofSeconds(1);
    private static final Duration SOONEST = Duration.ofSeconds(2);
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    @Parameters(
            paramLabel = "RECORDING",
            description = "The name of a section [recording NAME] of the nodes' magnet.conf, or default.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String recording;

    @Option(
            names = "--at",
            paramLabel = "TIME",
            converter = InstantOption.Converter.class,
            description = "When to begin: from now on such as +5s, or an instant such as 2026-11-27T19:00:00Z."
                    + " Default: ${DEFAULT-VALUE}",
            defaultValue = "+5s")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private InstantOption at;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            description = "How long to record. Each node ends by itself, whatever becomes of this command."
                    + " Default: ${DEFAULT-VALUE}",
            defaultValue = "30s")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private TimeSpan duration;

    @Mixin
    private NodesOption nodes = new NodesOption();

    @Option(
            names = "--allow-unsynchronised",
            description =
                    "Also record on nodes whose clock nobody disciplines: their begin is as wrong as their clock.")
    private boolean allowUnsynchronised;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    ClusterStartCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        long now = Machine.wallNow();
        long begin = at.at(now);
        if (begin < now + SOONEST.toNanos()) {
            throw new ParameterException(
                    spec.commandLine(), "--at wants an instant that is at least 2 s ahead: nodes have to hear of it");
        }
        if (duration.nanos() == 0) {
            throw new ParameterException(spec.commandLine(), "--for wants more than no time");
        }
        Orders orders = Orders.of(world, nodes);
        Run run = new Run(orders.newId(), recording, begin, duration.nanos());
        Map<String, Map<String, String>> answers = orders.give(
                Kind.START,
                run.id(),
                run.atNs(),
                run.durationNs(),
                new StartText(recording, allowUnsynchronised).text(),
                Duration.ofNanos(Math.min(
                        begin - now - BEFORE_BEGIN.toNanos(),
                        Duration.ofSeconds(10).toNanos())));
        print(run, answers);
        return orders.complain(answers) ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private void print(Run run, Map<String, Map<String, String>> answers) throws IOException {
        long ready =
                answers.values().stream().filter(ClusterStartCommand::isReady).count();
        if (json) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("run", run.name());
            all.put("at_ns", Long.toString(run.atNs()));
            all.put("duration_ns", Long.toString(run.durationNs()));
            all.put("nodes", answers);
            world.out().line(Json.of(all));
            return;
        }
        if (ready > 0) {
            world.out().line(run.name());
            world.tell(Counted.of(ready, "node records", "nodes record") + " from "
                    + Instant.ofEpochSecond(run.atNs() / NANOS_PER_SECOND, run.atNs() % NANOS_PER_SECOND) + " on, for "
                    + duration);
        }
    }

    private static boolean isReady(Map<String, String> answer) {
        return "ready".equals(answer.get("state")) || "recording".equals(answer.get("state"));
    }
}
