// SPDX-License-Identifier: Apache-2.0
package magnet.cli.adapt;

import magnet.adapt.Condition;
import magnet.cli.world.ReadOn;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of {@code magnet adapt} that belong together: a condition, and what to do when it begins and ends. */
public final class AdaptRule {
    @Option(
            names = "--when",
            required = true,
            paramLabel = "CONDITION",
            description = "'METRIC > NUMBER' or 'METRIC < NUMBER', in the metric's unit (" + ReadOn.DOCS
                    + "/metrics.md lists them). Of one job: 'job:NAME METRIC > NUMBER', such as"
                    + " 'job:slurm:4711 wait_percent > 20' (" + ReadOn.DOCS
                    + "/jobs.md). Give it once for each condition; each of the next five options belongs"
                    + " to the --when before it.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String when;

    @Option(
            names = "--until",
            paramLabel = "CONDITION",
            description = "The condition ends only beyond this bound of the same metric, such as 'METRIC < 20' after"
                    + " 'METRIC > 100'.")
    private @Nullable String until;

    @Option(
            names = "--hold",
            paramLabel = "TIME",
            description = "The condition ends only when the value has been back for this time: 10 (seconds), 0.5, 90s,"
                    + " 5m.")
    private @Nullable TimeSpan hold;

    @Option(names = "--then", paramLabel = "COMMAND", description = "Run this by sh when the condition begins to hold.")
    private @Nullable String then;

    @Option(names = "--else", paramLabel = "COMMAND", description = "Run this by sh when the condition ends.")
    private @Nullable String otherwise;

    @Option(
            names = "--save",
            paramLabel = "RECORDER",
            description =
                    "Save this flight recorder (magnet record) when the condition begins to hold, as a new folder in"
                            + " the folder of -o.")
    private @Nullable String save;

    /** The flight recorder that is saved when the condition begins; null = none. */
    @Nullable
    String save() {
        return save;
    }

    /**
     * The condition that is asked for.
     *
     * @throws IllegalArgumentException if there is none such; the message says why in one line
     */
    Condition condition() {
        Condition condition = Condition.when(when);
        if (until != null) {
            condition = condition.until(until);
        }
        return hold == null ? condition : condition.hold(hold.duration());
    }

    /** What is run when the condition begins, or ends; null = nothing. */
    @Nullable
    String command(boolean begins) {
        return begins ? then : otherwise;
    }
}
