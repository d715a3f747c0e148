// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import magnet.cli.world.Counted;
import magnet.cli.world.World;
import magnet.trace.RuleFilter;
import magnet.trace.TraceDefects;
import magnet.trace.TraceReader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;

/** Says what a command that has read a saved trace did not get out of it. For one run. */
public final class TraceRemarks {
    private final World world;
    private final String product;

    /** @param product what the command makes of the trace, such as "the report" */
    public TraceRemarks(World world, String product) {
        this.world = world;
        this.product = product;
    }

    /** Says it; returns the exit code. */
    public int tell(TraceReader trace, @Nullable RuleFilter filter) throws IOException {
        if (filter != null) {
            world.tell(Counted.were(filter.dropped(), "event") + " filtered");
            tellUntold(filter);
        }
        if (trace.jumps() > 0) {
            world.tell("the timer jumped or began anew " + (trace.jumps() == 1 ? "once" : trace.jumps() + " times")
                    + ", as after a suspend: nothing that lasted from before to after it is in " + product);
        }
        return tellDamage(trace);
    }

    /** Says what is damaged and what cannot be read; returns the exit code. */
    int tellDamage(TraceReader trace) throws IOException {
        for (TraceDefects defects : trace.defects()) {
            tell(defects);
        }
        for (String unread : trace.unread()) {
            world.tell(unread + "; its events are not in " + product);
        }
        return trace.unread().isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    /** Says for how many events the rules could not be applied as a whole. */
    void tellUntold(RuleFilter filter) throws IOException {
        if (filter.untold() > 0) {
            world.tell("of " + Counted.of(filter.untold(), "event")
                    + " the rules ask for headers of packets that the trace does not"
                    + " have, so that they do not match; save it with --snap 128");
        }
    }

    private void tell(TraceDefects defects) throws IOException {
        if (defects.malformed() > 0) {
            world.tell(
                    defects.malformed() + " malformed records or packets in " + defects.file() + ", the first at byte "
                            + defects.offset() + ": passed over, " + Counted.of(defects.skippedBytes(), "byte"));
        }
        if (defects.missingBytes() > 0) {
            world.tell(defects.file() + " is cut off: its last packet lacks "
                    + Counted.of(defects.missingBytes(), "byte") + "; everything before it was read");
        }
    }
}
