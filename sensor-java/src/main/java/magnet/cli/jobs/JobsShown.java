// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;

/** Where lists of jobs are shown, one after the other. */
interface JobsShown {
    /**
     * It begins.
     *
     * @param quit what ends it, for any thread
     */
    void begin(Runnable quit);

    /** Shows the next one. */
    void show(JobList list) throws IOException;

    /** Nothing is shown any more; for any thread. */
    void end();
}
