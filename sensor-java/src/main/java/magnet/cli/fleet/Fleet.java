// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.cli.world.Folding;
import magnet.cli.world.Table;
import magnet.cli.world.VisibleText;
import magnet.os.MonotonicClock;
import magnet.unit.TimeSpan;

/**
 * All nodes of the clusters that have magnet, judged by what gmetad has of them. Immutable.
 *
 * @param verdicts of each node, the worst first
 * @param versions how many nodes have each, by what it is called
 * @param without clusters in which no node has magnet, the worst first
 * @param sums grids that nothing is known of but sums
 * @param clusters clusters in which a node has magnet
 * @param ambiguous names that several clusters have, in different grids
 * @param others nodes that were not looked at, since others were named
 */
public record Fleet(
        List<NodeVerdict> verdicts,
        Map<String, Integer> versions,
        List<ClusterVerdict> without,
        List<GangliaReport.Sums> sums,
        int clusters,
        Set<String> ambiguous,
        int others) {
    /** What stands for the version of a magnet that does not tell it. */
    static final String UNTOLD = "not told";

    private static final int INDENT = 4;

    public Fleet {
        verdicts = List.copyOf(verdicts);
        without = List.copyOf(without);
        sums = List.copyOf(sums);
        ambiguous = Set.copyOf(ambiguous);
    }

    /**
     * Asks a gmetad.
     *
     * @param patience how long its answer may take
     * @param choice which clusters have magnet, as the admin means it
     * @throws Failure in one line, if it cannot be asked, tells nothing that can be read, or nothing of magnet
     */
    public static Fleet ask(GmetadAddress gmetad, MonotonicClock clock, TimeSpan patience, ClusterChoice choice)
            throws IOException {
        try (GmetadConnection connection = GmetadConnection.open(gmetad, clock, patience)) {
            return of(gmetad, FleetXml.read(connection.answer()), choice);
        } catch (AnswerException e) {
            throw new Failure("gmetad at " + gmetad + ": " + e.getMessage());
        }
    }

    /** A gmetad with nodes and nothing of magnet tells that magnet is gone; one with sums alone tells nothing. */
    private static Fleet of(GmetadAddress gmetad, GangliaReport report, ClusterChoice choice) throws Failure {
        Fleet fleet = FleetJudge.judge(report, choice);
        boolean tellsNothing = report.nodes().isEmpty() || !report.sums().isEmpty();
        if (fleet.clusters == 0 && tellsNothing && choice.expected().isEmpty() && !choice.hasNodes()) {
            throw new Failure(
                    "gmetad at " + gmetad + " has " + Counted.of(report.nodes().size(), "node") + " in "
                            + Counted.of(report.clusters().size(), "cluster") + ", and nothing of magnet"
                            + (report.sums().isEmpty()
                                    ? ": is magnetd installed there, and gmond.conf's module magnet enabled?"
                                    : ": of other grids it has sums only; ask their own gmetads"));
        }
        return fleet;
    }

    /** How many nodes are so. */
    long count(NodeVerdict.State state) {
        return verdicts.stream().filter(each -> each.state() == state).count();
    }

    /** Nodes that have failed: nothing is heard of them, or nothing of magnet. */
    public long failed() {
        return count(NodeVerdict.State.FAILED);
    }

    /** Nodes that somebody should look at. */
    public long warnings() {
        return count(NodeVerdict.State.WARNING);
    }

    /** Clusters without magnet that are so. */
    private long clusters(NodeVerdict.State state) {
        return without.stream().filter(each -> each.state() == state).count();
    }

    /** Clusters that must have magnet and have none. */
    public long clustersFailed() {
        return clusters(NodeVerdict.State.FAILED);
    }

    /** Clusters without magnet that nobody has named as such. */
    public long clustersWarned() {
        return clusters(NodeVerdict.State.WARNING);
    }

    /** Nodes that are as they should be. */
    public long ok() {
        return count(NodeVerdict.State.OK);
    }

    /** All nodes. */
    public int nodes() {
        return verdicts.size();
    }

    /** Events that were lost on all nodes, each in its window. */
    public long lost() {
        return verdicts.stream().mapToLong(NodeVerdict::lost).sum();
    }

    private List<NodeVerdict> attention() {
        return verdicts.stream()
                .filter(each -> each.state() != NodeVerdict.State.OK)
                .toList();
    }

    /** In a few words, the clusters without magnet and the worst nodes of all by name. */
    public String headline(int named) {
        String names = attention().stream()
                .limit(named)
                .map(each -> each.report().node() + " (" + each.problems().get(0) + ")")
                .collect(Collectors.joining(", "));
        long more = attention().size() - (long) named;
        return counts()
                + clustersWithout(named)
                + (names.isEmpty() ? "" : ": " + names)
                + (more > 0 ? " and " + more + " more" : "");
    }

    private String clustersWithout(int named) {
        List<ClusterVerdict> bad = without.stream()
                .filter(each -> each.state() != NodeVerdict.State.OK)
                .toList();
        if (bad.isEmpty()) {
            return "";
        }
        String names = bad.stream()
                .limit(named)
                .map(each -> each.cluster().name().whole())
                .collect(Collectors.joining(", "));
        return "; nothing of magnet in " + (bad.size() == 1 ? "cluster " : bad.size() + " clusters, ") + names
                + (bad.size() > named ? ", ..." : "");
    }

    private String counts() {
        return Counted.of(nodes(), "node") + ", " + ok() + " ok, " + Counted.of(warnings(), "warning") + ", " + failed()
                + " failed";
    }

    /**
     * A row for each node that needs attention, and what is so of all.
     *
     * @param most rows at most
     * @param columns of the terminal
     */
    public List<String> lines(int most, int columns) {
        List<NodeVerdict> attention = attention();
        List<String> lines = new ArrayList<>();
        Table table = new Table("NODE", "STATE", "CLUSTER", "VERSION", ">LOST", "WHAT");
        attention.stream()
                .limit(most)
                .forEach(each -> table.row(
                        VisibleText.of(each.report().node()),
                        each.state(),
                        shown(each.report().cluster()),
                        VisibleText.of(each.version()),
                        each.lost(),
                        VisibleText.of(String.join("; ", each.problems()))));
        if (!attention.isEmpty()) {
            lines.addAll(table.lines(columns));
        }
        if (attention.size() > most) {
            lines.add("and " + (attention.size() - most) + " more");
        }
        if (!lines.isEmpty()) {
            lines.add("");
        }
        summary()
                .forEach(line ->
                        lines.addAll(Folding.of(line, columns, INDENT).lines().toList()));
        return lines;
    }

    /** A cluster's name; with its grids, where others have the same one. */
    private String shown(ClusterName cluster) {
        return VisibleText.of(ambiguous.contains(cluster.name()) ? cluster.whole() : cluster.name());
    }

    private List<String> summary() {
        List<String> lines = new ArrayList<>();
        lines.add(counts() + "; " + Counted.of(clusters, "cluster") + "; "
                + (lost() == 0 ? "no events lost" : Counted.of(lost(), "event") + " lost"));
        if (others > 0) {
            lines.add("not looked at: " + Counted.of(others, "other node"));
        }
        versions.forEach(
                (version, nodes) -> lines.add("version " + VisibleText.of(version) + ": " + Counted.of(nodes, "node")));
        without.forEach(each -> lines.add((each.state() == NodeVerdict.State.OK ? "" : each.state() + ": ") + "cluster "
                + shown(each.cluster().name()) + ": " + each.problem()));
        sums.forEach(sum -> lines.add("grid " + VisibleText.of(sum.grid())
                + ": this gmetad has sums only; ask the one that its pages come from, "
                + VisibleText.of(sum.authority())));
        return lines;
    }

    /** For JSON. */
    public Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("nodes", nodes());
        map.put("ok", ok());
        map.put("warnings", warnings());
        map.put("failed", failed());
        map.put("lost", lost());
        map.put("not_looked_at", others);
        map.put("versions", versions);
        map.put("attention", attention().stream().map(NodeVerdict::asMap).toList());
        map.put("without_magnet", without.stream().map(ClusterVerdict::asMap).toList());
        map.put("sums_only", sums.stream().map(GangliaReport.Sums::grid).toList());
        return map;
    }
}
