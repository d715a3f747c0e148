// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import magnet.cli.world.ReadOn;
import magnet.cli.world.Table;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.cluster.recording.RecordingRole;
import magnet.cluster.wire.Kind;
import magnet.cluster.wire.OrderSender;
import magnet.json.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code magnet cluster ls}: the runs that lie on the nodes. */
@Command(
        name = "ls",
        header = "List the runs that lie on the nodes.",
        description = {
            "",
            "Each node names its twenty newest runs. The newest run comes first. NODES are those that have a part of it."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet cluster ls",
            "      # what there is to collect",
            "  sudo magnet cluster ls --json",
            "      # the same for programs",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/cluster.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class ClusterListCommand implements Callable<Integer> {
    @Mixin
    private NodesOption nodes = new NodesOption();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final World world;

    ClusterListCommand(World world) {
        this.world = world;
    }

    /** What a node has of a run. */
    private record Part(String node, String state, long events, long bytes) {}

    @Override
    public Integer call() throws IOException {
        Orders orders = Orders.of(world, nodes);
        Map<String, Map<String, String>> answers =
                orders.give(Kind.QUERY, orders.newId(), 0, 0, RecordingRole.RUNS, Orders.ANSWERS);
        Map<String, List<Part>> runs = runs(answers);
        if (json) {
            world.out().line(Json.of(Map.of("runs", asLists(runs))));
        } else if (!answers.isEmpty()) {
            print(runs);
        }
        return orders.complain(answers) ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private static Map<String, List<Part>> runs(Map<String, Map<String, String>> answers) {
        Map<String, List<Part>> runs = new TreeMap<>(Comparator.reverseOrder());
        answers.forEach((node, fields) -> fields.forEach((run, text) -> {
            String[] words = text.split(" ", -1);
            if (!run.equals(OrderSender.NODE) && words.length == 3 && isNumber(words[1]) && isNumber(words[2])) {
                runs.computeIfAbsent(run, unused -> new ArrayList<>())
                        .add(new Part(node, words[0], Long.parseLong(words[1]), Long.parseLong(words[2])));
            }
        }));
        return runs;
    }

    private static boolean isNumber(String word) {
        return word.matches("\\d{1,18}");
    }

    private void print(Map<String, List<Part>> runs) throws IOException {
        if (runs.isEmpty()) {
            world.out().line("no runs");
            return;
        }
        Table table = new Table("RUN", "STATE", ">EVENTS", ">BYTES", "NODES");
        runs.forEach((run, parts) -> table.row(
                run,
                String.join(",", parts.stream().map(Part::state).distinct().toList()),
                parts.stream().mapToLong(Part::events).sum(),
                parts.stream().mapToLong(Part::bytes).sum(),
                String.join(",", parts.stream().map(Part::node).toList())));
        table.print(world.out(), world.columns());
    }

    private static List<Map<String, Object>> asLists(Map<String, List<Part>> runs) {
        List<Map<String, Object>> all = new ArrayList<>();
        runs.forEach((run, parts) -> {
            Map<String, Object> its = new LinkedHashMap<>();
            its.put("run", run);
            its.put("nodes", parts.stream().map(ClusterListCommand::asMap).toList());
            all.add(its);
        });
        return all;
    }

    private static Map<String, Object> asMap(Part part) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("node", part.node());
        map.put("state", part.state());
        map.put("events", part.events());
        map.put("bytes", part.bytes());
        return map;
    }
}
