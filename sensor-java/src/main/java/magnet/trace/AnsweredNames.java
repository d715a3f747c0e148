// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What somebody answered who was asked for threads' names. Such an answer is good for a second, and until events are lost.
 * Keeps {@value #PLACES} answers, in pairs of places, so that two threads do not take each other's. Allocates nothing where
 * it has the answer. For one thread.
 */
final class AnsweredNames {
    static final int PLACES = 1 << 14;
    static final long STALE_NS = 1_000_000_000;

    private final IntFunction<String> elsewhere;
    private final int[] threads = new int[PLACES];
    private final long[] asked = new long[PLACES];
    private final @Nullable String[] names = new String[PLACES];

    /** Losses until the answer. */
    private final long[] losses = new long[PLACES];

    /** @param elsewhere tells the name of a thread; empty if it cannot */
    AnsweredNames(IntFunction<String> elsewhere) {
        this.elsewhere = elsewhere;
    }

    /**
     * The name of a thread; empty if it is not known. One that is gone keeps its name until events are lost.
     *
     * @param nowNanos what the age of answers is measured by
     * @param lossesNow how often events were lost so far
     */
    String of(int thread, long nowNanos, long lossesNow) {
        int place = place(thread);
        String known = threads[place] == thread && losses[place] == lossesNow ? names[place] : null;
        if (known != null && nowNanos - asked[place] <= STALE_NS) {
            return known;
        }
        String answer = elsewhere.apply(thread);
        String name = known != null && answer.isEmpty() ? known : answer;
        threads[place] = thread;
        asked[place] = nowNanos;
        losses[place] = lossesNow;
        names[place] = name;
        return name;
    }

    /** Where the thread is, else the place of its pair that was asked for longer ago. */
    private int place(int thread) {
        int first = thread * 2 & (PLACES - 1);
        int second = first + 1;
        if (threads[first] == thread) {
            return first;
        }
        return threads[second] == thread || asked[second] - asked[first] < 0 || names[second] == null ? second : first;
    }
}
