// SPDX-License-Identifier: Apache-2.0
package magnet.agent;

import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Logs an error once and counts it afterwards: a log line per lost packet would be a second outage.
 *
 * <p>Errors are the same when their text is. At most {@value #CAPACITY} texts are remembered; the oldest is forgotten
 * first. Thread-safe.
 */
public final class DistinctErrors {
    private static final int CAPACITY = 64;

    private final Logger logger;
    private final Map<String, Long> counts = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > CAPACITY;
        }
    };
    private long total;
    private long cleared;

    /** @param logger where the first of each error goes, as a warning */
    public DistinctErrors(Logger logger) {
        this.logger = logger;
    }

    /**
     * Counts an error.
     *
     * @param text what went wrong, without anything that differs from one time to the next
     * @return whether it was the first of its kind, and so was logged
     */
    public synchronized boolean record(String text) {
        total++;
        boolean first = counts.merge(text, 1L, Long::sum) == 1;
        if (first) {
            logger.warn("{} (said once, counted from now on)", text);
        }
        return first;
    }

    /** Forgets all errors, so that their return is said again. Returns how often any had occurred since the last time. */
    public synchronized long clear() {
        long since = total - cleared;
        cleared = total;
        counts.clear();
        return since;
    }

    /** All errors so far. */
    public synchronized long total() {
        return total;
    }
}
