// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import magnet.cli.world.Counted;
import magnet.metric.Metric;
import magnet.metric.SensorMetrics;

/** Says of each node whether somebody should look at it, and why. Immutable. */
final class FleetJudge {
    private static final long SECONDS_PER_MINUTE = 60;
    private static final long SECONDS_PER_HOUR = 3_600;
    private static final long SECONDS_PER_DAY = 86_400;
    private static final int SMALL_TIMES = 2;
    /** Of a node that is in no cluster. */
    private static final ClusterName NOWHERE = new ClusterName(List.of(), "-");

    private static final NodeReport.Heard NEVER = new NodeReport.Heard(0, 0);

    /** The versions of most nodes; empty while no node tells its own. */
    private final Optional<SensorVersion> usual;

    private final Set<ClusterName> clustersWithSensor;

    private final ClusterChoice choice;

    private FleetJudge(GangliaReport report, ClusterChoice choice) {
        this.choice = choice;
        Map<SensorVersion, Integer> counts = new HashMap<>();
        report.nodes().forEach(node -> node.version().ifPresent(version -> counts.merge(version, 1, Integer::sum)));
        usual = counts.entrySet().stream()
                .max(Map.Entry.<SensorVersion, Integer>comparingByValue()
                        .thenComparing(entry -> entry.getKey().toString()))
                .map(Map.Entry::getKey);
        clustersWithSensor = report.nodes().stream()
                .filter(NodeReport::hasSensor)
                .map(NodeReport::cluster)
                .collect(Collectors.toSet());
    }

    static Fleet judge(GangliaReport report, ClusterChoice choice) {
        return new FleetJudge(report, choice).fleet(report);
    }

    private Fleet fleet(GangliaReport report) {
        List<NodeVerdict> verdicts = new ArrayList<>();
        Map<String, Integer> versions = new TreeMap<>();
        for (NodeReport node : report.nodes()) {
            if (isJudged(node)) {
                verdicts.add(verdict(node));
                if (node.hasSensor()) {
                    String version = node.version().map(SensorVersion::toString).orElse(Fleet.UNTOLD);
                    versions.merge(version, 1, Integer::sum);
                }
            }
        }
        int others = choice.hasNodes() ? report.nodes().size() - verdicts.size() : 0;
        verdicts.addAll(unknown(report));
        verdicts.sort(Comparator.comparing(NodeVerdict::state)
                .thenComparing(Comparator.comparingLong(NodeVerdict::lost).reversed())
                .thenComparing(verdict -> verdict.report().cluster().whole())
                .thenComparing(verdict -> verdict.report().node()));
        return new Fleet(
                verdicts,
                versions,
                choice.hasNodes() ? List.of() : without(report),
                report.sums(),
                clustersWithSensor.size(),
                ambiguous(report),
                others);
    }

    /** Nodes that somebody named and gmetad does not know. */
    private List<NodeVerdict> unknown(GangliaReport report) {
        Set<String> unknown = new TreeSet<>(choice.nodes());
        report.nodes().forEach(node -> choice.nameOf(node.node()).ifPresent(unknown::remove));
        return unknown.stream()
                .map(node -> new NodeVerdict(
                        new NodeReport(NOWHERE, node, NEVER, Optional.empty(), Map.of()),
                        NodeVerdict.State.FAILED,
                        List.of("gmetad knows no such node: it is down for long, its gmond does not run, or it has"
                                + " another name")))
                .toList();
    }

    /** In a cluster that has none on purpose, nobody misses it on a node. */
    private boolean isJudged(NodeReport node) {
        if (choice.hasNodes()) {
            return choice.nameOf(node.node()).isPresent();
        }
        return clustersWithSensor.contains(node.cluster()) && (node.hasSensor() || !choice.leavesOut(node.cluster()));
    }

    /** The clusters without magnet, the worst first. */
    private List<ClusterVerdict> without(GangliaReport report) {
        List<ClusterVerdict> without = new ArrayList<>();
        Set<String> unknown = new TreeSet<>(choice.expected());
        for (GangliaReport.Cluster cluster : report.clusters()) {
            unknown.remove(cluster.name().name());
            unknown.remove(cluster.name().whole());
            if (!clustersWithSensor.contains(cluster.name())) {
                without.add(verdict(cluster));
            }
        }
        for (String name : unknown) {
            without.add(new ClusterVerdict(
                    new GangliaReport.Cluster(new ClusterName(List.of(), name), 0),
                    NodeVerdict.State.FAILED,
                    "gmetad knows no such cluster: its gmonds do not answer gmetad, or the name is another"));
        }
        without.sort(Comparator.comparing(ClusterVerdict::state));
        return without;
    }

    private ClusterVerdict verdict(GangliaReport.Cluster cluster) {
        String what = Counted.of(cluster.hosts(), "node") + ", and nothing of magnet";
        if (choice.leavesOut(cluster.name())) {
            return new ClusterVerdict(cluster, NodeVerdict.State.OK, what + ", on purpose");
        }
        if (choice.expects(cluster.name()) || clustersWithSensor.isEmpty()) {
            return new ClusterVerdict(
                    cluster,
                    NodeVerdict.State.FAILED,
                    what + ": is magnetd installed there, and gmond.conf's module magnet enabled?");
        }
        return new ClusterVerdict(
                cluster, NodeVerdict.State.WARNING, what + "; if that is on purpose, name the cluster in --without");
    }

    private static Set<String> ambiguous(GangliaReport report) {
        Map<String, Set<ClusterName>> byName = new HashMap<>();
        report.clusters()
                .forEach(cluster -> byName.computeIfAbsent(cluster.name().name(), name -> new HashSet<>())
                        .add(cluster.name()));
        byName.values().removeIf(clusters -> clusters.size() == 1);
        return byName.keySet();
    }

    private NodeVerdict verdict(NodeReport node) {
        if (node.host().isSilent()) {
            return new NodeVerdict(
                    node,
                    NodeVerdict.State.FAILED,
                    List.of("silent for " + time(node.host().seconds()) + ": gmetad takes it for down"));
        }
        if (node.sensor().isEmpty()) {
            return new NodeVerdict(
                    node,
                    NodeVerdict.State.FAILED,
                    List.of("publishes nothing of magnet"
                            + (clustersWithSensor.contains(node.cluster()) ? ", as others of its cluster do" : "")
                            + ": is magnetd installed, and does it run?"));
        }
        if (node.sensor().get().isSilent()) {
            return new NodeVerdict(
                    node,
                    NodeVerdict.State.FAILED,
                    List.of("magnetd has published nothing for "
                            + time(node.sensor().get().seconds())));
        }
        List<String> problems = problems(node);
        return new NodeVerdict(node, problems.isEmpty() ? NodeVerdict.State.OK : NodeVerdict.State.WARNING, problems);
    }

    private List<String> problems(NodeReport node) {
        List<String> problems = new ArrayList<>();
        losses(node, problems);
        count("", node.inWindow(SensorMetrics.MISSED), "event", " missed by a probe", problems);
        count("", node.inWindow(SensorMetrics.MALFORMED), "record", " malformed", problems);
        count("", node.inWindow(SensorMetrics.PUBLISH_FAILURES), "failure", " to publish", problems);
        count("", whole(node, SensorMetrics.POINTS_FAILED), "point", " failed", problems);
        count("nothing is seen at ", whole(node, SensorMetrics.POINTS_BLIND), "point", "", problems);
        if (whole(node, SensorMetrics.CLOCK_UNSTABLE) > 0) {
            problems.add("the kernel calls its TSC unstable");
        }
        node.version().ifPresent(version -> versions(version, problems));
        new TreeMap<>(node.notNumbers()).forEach((name, value) -> problems.add(name + " is no number: " + value));
        return problems;
    }

    private static void losses(NodeReport node, List<String> problems) {
        long lost = node.inWindow(SensorMetrics.LOST);
        long intervals = whole(node, SensorMetrics.LOSSY);
        OptionalDouble window = node.number(SensorMetrics.WINDOW);
        if (lost > 0 && window.isPresent()) {
            problems.add("lost " + Counted.of(lost, "event") + " in " + time(window.getAsDouble()));
        } else if (lost > 0) {
            problems.add("lost events, and does not tell in how long");
        } else {
            count("lost events, or its timer jumped, in ", intervals, "interval", "", problems);
        }
    }

    private void versions(SensorVersion version, List<String> problems) {
        if (!version.isOne()) {
            problems.add("service " + version.service() + ", but module " + version.module());
        } else if (usual.isPresent() && !usual.get().equals(version)) {
            problems.add("version " + version + ", most have " + usual.get());
        }
    }

    private static void count(String before, long number, String what, String behind, List<String> problems) {
        if (number > 0) {
            problems.add(before + Counted.of(number, what) + behind);
        }
    }

    private static long whole(NodeReport node, Metric metric) {
        return Math.round(node.number(metric).orElse(0));
    }

    /** In the unit that gives a small number. */
    static String time(double seconds) {
        long whole = Math.round(seconds);
        if (whole < SMALL_TIMES * SECONDS_PER_MINUTE) {
            return whole + " s";
        }
        if (whole < SMALL_TIMES * SECONDS_PER_HOUR) {
            return whole / SECONDS_PER_MINUTE + " min";
        }
        return whole < SMALL_TIMES * SECONDS_PER_DAY
                ? whole / SECONDS_PER_HOUR + " h"
                : whole / SECONDS_PER_DAY + " days";
    }
}
