// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.util.Locale;
import magnet.os.ProcessSignal;

/** What may be done with a job. */
enum JobOrder {
    STOP(ProcessSignal.STOP, "stopped"),
    CONT(ProcessSignal.CONT, "continued"),
    KILL(ProcessSignal.KILL, "killed");

    private final ProcessSignal signal;
    private final String done;

    JobOrder(ProcessSignal signal, String done) {
        this.signal = signal;
        this.done = done;
    }

    /** The signal that does it. */
    ProcessSignal signal() {
        return signal;
    }

    /** What has been done with its processes then. */
    String done() {
        return done;
    }

    /** Its name in commands. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
