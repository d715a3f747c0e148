// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.util.ArrayList;
import java.util.List;

/**
 * Whose events are counted.
 *
 * @param only the one process that is; {@link #NOBODY} if all are
 * @param except one that is not; {@link #NOBODY} if there is none
 */
record ProcessChoice(int only, int except) {
    /** No process has this id. */
    static final int NOBODY = -1;
    /** All. */
    static final ProcessChoice ALL = new ProcessChoice(NOBODY, NOBODY);

    /** Whether events are, that happened while this process ran. */
    boolean has(int process) {
        return (only == NOBODY || only == process) && process != except;
    }

    /** The same as rules for the kernel, which spare it to log what is not counted. */
    List<String> rules() {
        List<String> rules = new ArrayList<>();
        if (only != NOBODY) {
            rules.add("drop if tgid != " + only);
        }
        if (except != NOBODY) {
            rules.add("drop if tgid == " + except);
        }
        return rules;
    }
}
