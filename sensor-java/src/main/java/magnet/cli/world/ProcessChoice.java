// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.ArrayList;
import java.util.List;
import magnet.trace.EventFormat;
import org.jspecify.annotations.Nullable;

/**
 * Whose events a command wants.
 *
 * @param only the one process that is; {@link #NOBODY} if all are
 * @param except one that is not; {@link #NOBODY} if there is none
 */
public record ProcessChoice(int only, int except) {
    private static final String TGID = "tgid";

    /** No process has this id. */
    public static final int NOBODY = -1;
    /** All. */
    public static final ProcessChoice ALL = new ProcessChoice(NOBODY, NOBODY);

    /** Whether events are, that happened while this process ran. */
    public boolean has(int process) {
        return (only == NOBODY || only == process) && process != except;
    }

    /**
     * The same as rules for the kernel, which spare it to log what nobody wants. The kernel's {@code tgid} is the process that
     * ran only where the event has no field of this name, such as the process that is woken: there the kernel logs all.
     *
     * @param event what it looks like; null if nobody knows
     */
    public List<String> rules(@Nullable EventFormat event) {
        List<String> rules = new ArrayList<>();
        if (event == null || event.field(TGID) != null) {
            return rules;
        }
        if (only != NOBODY) {
            rules.add("drop if tgid != " + only);
        }
        if (except != NOBODY) {
            rules.add("drop if tgid == " + except);
        }
        return rules;
    }
}
