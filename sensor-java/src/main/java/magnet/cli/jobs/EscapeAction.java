// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.util.Locale;

/** What happens to a process that has left its task's cgroup. */
enum EscapeAction {
    /** It is moved back. */
    RETURN("returned"),
    /** It gets SIGKILL. */
    KILL("killed"),
    /** Nothing but a line. */
    TELL("saw");

    private final String done;

    EscapeAction(String done) {
        this.done = done;
    }

    /** For people: what has been done. */
    String done() {
        return done;
    }

    /** As in the option. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
