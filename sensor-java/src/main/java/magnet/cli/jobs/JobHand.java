// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import magnet.cli.world.Failure;

/** A way to stop, continue and kill jobs. */
interface JobHand {
    /** What does it, in a word. */
    String by();

    /**
     * Carries out an order, and sees to it that it is carried out.
     *
     * @return how many processes it was about
     * @throws Failure if it could not be carried out in time, or not at all; says why, and what is left
     */
    int carryOut(JobOrder order, PresentJob job) throws IOException;
}
