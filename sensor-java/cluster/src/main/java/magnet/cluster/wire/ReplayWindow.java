// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Listens to each signed datagram once, and to none that is old: a sender's counters rise, and lie near the wall clock. It
 * remembers the last counter of each sender for as long as that one is not too old anyway. Compare RFC 4302, 3.4.3. For one
 * thread.
 */
public final class ReplayWindow {
    private final long maxSkewNs;
    private final LongSupplier wallNs;
    private final Map<Id, Long> last = new HashMap<>();

    /**
     * @param maxSkew how far a counter may be from the wall clock
     * @param wallNs the wall clock, nanoseconds since 1970
     */
    public ReplayWindow(Duration maxSkew, LongSupplier wallNs) {
        this.maxSkewNs = maxSkew.toNanos();
        this.wallNs = wallNs;
    }

    /**
     * Takes a message.
     *
     * @throws RefusedException {@link Refusal#STALE} or {@link Refusal#REPLAY}
     */
    public void accept(Message message) throws RefusedException {
        long now = wallNs.getAsLong();
        if (isOld(message.counter(), now)) {
            throw new RefusedException(Refusal.STALE);
        }
        Long before = last.get(message.sender());
        if (before != null && message.counter() <= before) {
            throw new RefusedException(Refusal.REPLAY);
        }
        last.values().removeIf(counter -> isOld(counter, now));
        last.put(message.sender(), message.counter());
    }

    private boolean isOld(long counter, long now) {
        // Differences of any two longs that come from outside may overflow.
        return counter < now - maxSkewNs || counter > now + maxSkewNs;
    }

    /** The last counter of each sender. */
    public Map<Id, Long> last() {
        return Map.copyOf(last);
    }

    /** Remembers what another one had, as after a restart. */
    public void remember(Map<Id, Long> counters) {
        last.putAll(counters);
    }
}
