// SPDX-License-Identifier: Apache-2.0
package magnet.cli.adapt;

import magnet.adapt.Condition;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of {@code magnet adapt} that belong together: a condition, and what to do when it begins and ends. */
public final class AdaptRule {
    @Option(
            names = "--when",
            required = true,
            paramLabel = "CONDITION",
            description = "'METRIC > NUMBER' or 'METRIC < NUMBER', in the metric's unit (docs/metrics.md lists them)."
                    + " May be given several times; the next four options belong to the one before them.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String when;

    @Option(
            names = "--until",
            paramLabel = "CONDITION",
            description = "End only beyond this bound of the same metric, such as 'METRIC < 20' after 'METRIC > 100'.")
    private @Nullable String until;

    @Option(
            names = "--hold",
            paramLabel = "TIME",
            description = "End only when the value has been back for such a time: 10 (seconds), 0.5, 90s, 5m.")
    private @Nullable TimeSpan hold;

    @Option(names = "--then", paramLabel = "COMMAND", description = "Run by sh when the condition begins to hold.")
    private @Nullable String then;

    @Option(names = "--else", paramLabel = "COMMAND", description = "Run by sh when it ends.")
    private @Nullable String otherwise;

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
