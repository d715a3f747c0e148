// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

/**
 * How much is measured.
 *
 * @param calls system calls in each half of a round
 * @param rounds rounds of each way that count; one more goes before them and does not
 */
public record Plan(int calls, int rounds) {
    private static final int WARM_UP_SHARE = 8;

    public Plan {
        if (calls < 1 || rounds < 1) {
            throw new IllegalArgumentException("calls=" + calls + " rounds=" + rounds);
        }
    }

    /** Calls before each half's, which are not timed: the code was patched just now. */
    int warmUpCalls() {
        return Math.max(1, calls / WARM_UP_SHARE);
    }

    /** Events that each round must have made. */
    int eventsOfRound() {
        return warmUpCalls() + calls;
    }
}
