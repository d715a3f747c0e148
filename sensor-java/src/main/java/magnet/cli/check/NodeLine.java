// SPDX-License-Identifier: Apache-2.0
package magnet.cli.check;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import magnet.cli.world.Output;
import magnet.cli.world.World;

/**
 * This node's findings as one line for Nagios. What is about the rights of the user who asks is left out: Nagios' own user has
 * none, and needs none. Immutable.
 */
final class NodeLine {
    private static final Set<String> OF_WHO_ASKS = Set.of("nodes", "capabilities", "debugfs");
    private static final int NAMED = 3;
    private static final int LONGEST = 100;

    private final List<Finding> findings;
    private final long lost;

    private NodeLine(List<Finding> findings, long lost) {
        this.lost = lost;
        this.findings = findings.stream()
                .filter(finding -> !OF_WHO_ASKS.contains(finding.check()))
                .toList();
    }

    /**
     * Of all findings.
     *
     * @param lost events that the buffers have lost since they were made
     */
    static NodeLine of(List<Finding> findings, long lost) {
        return new NodeLine(findings, lost);
    }

    /** Prints it; returns the exit code. */
    int printed(World world) throws Output.ClosedException {
        NagiosLine line = line();
        world.out().line(line.toString());
        return line.exitCode();
    }

    NagiosLine line() {
        List<Finding> failed = those(Finding.State.FAILED);
        List<Finding> warnings = those(Finding.State.WARNING);
        NagiosLine.Status status = NagiosLine.Status.OK;
        if (!failed.isEmpty()) {
            status = NagiosLine.Status.CRITICAL;
        } else if (!warnings.isEmpty()) {
            status = NagiosLine.Status.WARNING;
        }
        List<Finding> bad = failed.isEmpty() ? warnings : failed;
        int ok = those(Finding.State.OK).size();
        String text = bad.isEmpty()
                ? ok + " checks ok"
                : bad.stream()
                        .limit(NAMED)
                        .map(finding -> finding.check() + " (" + shortened(finding.what()) + ")")
                        .collect(Collectors.joining(", ", "", more(bad.size())));
        return new NagiosLine(
                status,
                text,
                List.of(
                        NagiosLine.Figure.of("ok", ok),
                        NagiosLine.Figure.warningUnlessZero("warnings", warnings.size()),
                        NagiosLine.Figure.criticalUnlessZero("failed", failed.size()),
                        NagiosLine.Figure.counter("lost", lost)));
    }

    private static String shortened(String what) {
        return what.length() > LONGEST ? what.substring(0, LONGEST) + "..." : what;
    }

    private static String more(int bad) {
        return bad > NAMED ? " and " + (bad - NAMED) + " more" : "";
    }

    private List<Finding> those(Finding.State state) {
        return findings.stream().filter(finding -> finding.state() == state).toList();
    }
}
