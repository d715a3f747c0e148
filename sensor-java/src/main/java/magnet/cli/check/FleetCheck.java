// SPDX-License-Identifier: Apache-2.0
package magnet.cli.check;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import magnet.cli.fleet.ClusterChoice;
import magnet.cli.fleet.Fleet;
import magnet.cli.fleet.GmetadAddress;
import magnet.cli.world.Failure;
import magnet.cli.world.World;
import magnet.json.Json;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;

/** {@code magnet check --fleet}: asks gmetad about all nodes, and prints what it is told. */
final class FleetCheck {
    private static final TimeSpan PATIENCE = new TimeSpan(Duration.ofSeconds(30));
    private static final int NAMED = 3;

    private final World world;
    private final GmetadAddress gmetad;
    private final TimeSpan timeout;
    private final int most;
    private final ClusterChoice choice;

    /**
     * @param gmetad whom to ask; null for the one of this machine
     * @param timeout how long it may take; null for as long as usual
     * @param most rows at most
     * @param choice which clusters have magnet, as the admin means it
     */
    FleetCheck(
            World world, @Nullable GmetadAddress gmetad, @Nullable TimeSpan timeout, int most, ClusterChoice choice) {
        this.world = world;
        this.gmetad = Objects.requireNonNullElseGet(gmetad, GmetadAddress::local);
        this.timeout = Objects.requireNonNullElse(timeout, PATIENCE);
        this.most = most;
        this.choice = choice;
    }

    /** Returns the exit code. */
    int run(boolean nagios, boolean json) throws IOException {
        if (nagios) {
            NagiosLine line = line();
            world.out().line(line.toString());
            return line.exitCode();
        }
        Fleet fleet = Fleet.ask(gmetad, world.clock(), timeout, choice);
        if (json) {
            world.out().line(Json.of(fleet.asMap()));
        } else {
            for (String line : fleet.lines(most, world.columns())) {
                world.out().line(line);
            }
        }
        return fleet.failed() + fleet.clustersFailed() == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private NagiosLine line() throws IOException {
        try {
            return line(Fleet.ask(gmetad, world.clock(), timeout, choice));
        } catch (Failure e) {
            return NagiosLine.unknown(String.valueOf(e.getMessage()));
        }
    }

    private static NagiosLine line(Fleet fleet) {
        NagiosLine.Status status = NagiosLine.Status.OK;
        if (fleet.failed() + fleet.clustersFailed() > 0) {
            status = NagiosLine.Status.CRITICAL;
        } else if (fleet.warnings() + fleet.clustersWarned() > 0) {
            status = NagiosLine.Status.WARNING;
        }
        return new NagiosLine(
                status,
                fleet.headline(NAMED),
                List.of(
                        NagiosLine.Figure.of("nodes", fleet.nodes()),
                        NagiosLine.Figure.of("ok", fleet.ok()),
                        NagiosLine.Figure.warningUnlessZero("warnings", fleet.warnings()),
                        NagiosLine.Figure.criticalUnlessZero("failed", fleet.failed()),
                        NagiosLine.Figure.warningUnlessZero("lost", fleet.lost()),
                        NagiosLine.Figure.warningUnlessZero("clusters_without", fleet.clustersWarned()),
                        NagiosLine.Figure.criticalUnlessZero("clusters_failed", fleet.clustersFailed())));
    }
}
