// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.cli;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.cli.world.ReadOn;
import magnet.cli.world.Table;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.cluster.wire.Kind;
import magnet.cluster.wire.Refusal;
import magnet.json.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code magnet cluster status}: what each node does. */
@Command(
        name = "status",
        header = "Show what each node records, and how good its clock is.",
        description = {
            "",
            "CLOCK is the bound on the error of the node's wall clock, as its kernel knows it from chrony, ntpd or ptp4l;"
                    + " \"unsynchronised\" where nobody disciplines it. CPU is the processor time that the recording itself"
                    + " has had. LOST is known when a recording has ended. REFUSED are datagrams that a node did not listen"
                    + " to, by the reason: --json tells all of them."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet cluster status",
            "      # all nodes",
            "  sudo magnet cluster status --json --nodes n1",
            "      # one node, for programs",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/cluster.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class ClusterStatusCommand implements Callable<Integer> {
    private static final String NOTHING = "-";

    @Mixin
    private NodesOption nodes = new NodesOption();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final World world;

    ClusterStatusCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        Orders orders = Orders.of(world, nodes);
        Map<String, Map<String, String>> answers = orders.give(Kind.QUERY, orders.newId(), 0, 0, "", Orders.ANSWERS);
        if (json) {
            world.out().line(Json.of(Map.of("nodes", answers)));
        } else if (!answers.isEmpty()) {
            print(answers);
        }
        return orders.complain(answers) ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private void print(Map<String, Map<String, String>> answers) throws IOException {
        Table table = new Table("NODE", "STATE", "RUN", ">EVENTS", ">LOST", ">BYTES", ">CPU", "CLOCK", "REFUSED");
        answers.forEach((node, fields) -> table.row(
                node,
                fields.getOrDefault("state", NOTHING),
                fields.getOrDefault("run", NOTHING),
                fields.getOrDefault("events", NOTHING),
                fields.getOrDefault("lost", NOTHING),
                fields.getOrDefault("bytes", NOTHING),
                fields.containsKey("cpu_ms") ? fields.get("cpu_ms") + " ms" : NOTHING,
                clock(fields),
                refused(fields)));
        table.print(world.out(), world.columns());
        for (Map.Entry<String, String> each : reasons(answers).entrySet()) {
            world.tell(each.getKey() + ": " + each.getValue());
        }
    }

    private static Map<String, String> reasons(Map<String, Map<String, String>> answers) {
        Map<String, String> reasons = new LinkedHashMap<>();
        answers.forEach((node, fields) -> {
            String reason = fields.get("reason");
            if (reason != null) {
                reasons.put(node, reason);
            }
        });
        return reasons;
    }

    private static String clock(Map<String, String> fields) {
        String state = fields.getOrDefault("clock", "unknown");
        return state.equals("synchronised") ? fields.getOrDefault("clock_max_error_us", "?") + " us" : state;
    }

    private static String refused(Map<String, String> fields) {
        String all = Stream.of(Refusal.values())
                .filter(each -> !fields.getOrDefault(each.label(), "0").equals("0"))
                .map(each -> each.label() + "=" + fields.get(each.label()))
                .collect(Collectors.joining(" "));
        return all.isEmpty() ? NOTHING : all;
    }
}
