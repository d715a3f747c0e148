// SPDX-License-Identifier: Apache-2.0
package magnet.cli.check;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
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
    private final OptionalInt most;

    /**
     * @param gmetad whom to ask; null for the one of this machine
     * @param timeout how long it may take; null for as long as usual
     * @param most rows at most; null for all
     */
    FleetCheck(World world, @Nullable GmetadAddress gmetad, @Nullable TimeSpan timeout, @Nullable Integer most) {
        this.world = world;
        this.gmetad = Objects.requireNonNullElseGet(gmetad, GmetadAddress::local);
        this.timeout = Objects.requireNonNullElse(timeout, PATIENCE);
        this.most = most == null ? OptionalInt.empty() : OptionalInt.of(most);
    }

    /** Returns the exit code. */
    int run(boolean nagios, boolean json) throws IOException {
        if (nagios) {
            NagiosLine line = line();
            world.out().line(line.toString());
            return line.exitCode();
        }
        Fleet fleet = Fleet.ask(gmetad, world.clock(), timeout);
        if (json) {
            world.out().line(Json.of(fleet.asMap()));
        } else {
            for (String line : fleet.lines(most, world.columns())) {
                world.out().line(line);
            }
        }
        return fleet.failed() == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private NagiosLine line() throws IOException {
        try {
            return line(Fleet.ask(gmetad, world.clock(), timeout));
        } catch (Failure e) {
            return NagiosLine.unknown(String.valueOf(e.getMessage()));
        }
    }

    private static NagiosLine line(Fleet fleet) {
        NagiosLine.Status status = NagiosLine.Status.OK;
        if (fleet.failed() > 0) {
            status = NagiosLine.Status.CRITICAL;
        } else if (fleet.warnings() > 0) {
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
                        NagiosLine.Figure.warningUnlessZero("lost", fleet.lost())));
    }
}
