// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import magnet.cli.trace.ClockOffsets;
import magnet.cluster.sync.ClusterClocks;
import magnet.trace.TraceClock;

/** Gives {@code magnet export --cluster} what {@code magnet cluster sync} has found. */
public final class SyncedOffsets implements ClockOffsets {
    @Override
    public Optional<Aligned> read(Path run) throws IOException {
        if (!ClusterClocks.isIn(run)) {
            return Optional.empty();
        }
        ClusterClocks clocks = ClusterClocks.read(run);
        return Optional.of((node, clock, nodeNs) -> together(clocks, node, clock, nodeNs));
    }

    private static OptionalLong together(ClusterClocks clocks, String node, TraceClock clock, long nodeNs) {
        return clocks.of(node)
                .filter(known -> known.clock().equals(clock))
                .map(known -> OptionalLong.of(known.toReferenceNs(nodeNs)))
                .orElse(OptionalLong.empty());
    }
}
