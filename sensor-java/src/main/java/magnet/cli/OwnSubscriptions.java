// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import magnet.control.ControlException;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.SubscriptionInfo;
import magnet.os.Errno;

/**
 * A command's own subscriptions at its end. They end before the last of what they logged is read: otherwise points go on
 * firing, and what is said of them is not true of what was read. {@link #ended} is for any thread, all else for one.
 */
final class OwnSubscriptions {
    private final String buffer;
    private final AtomicInteger ended = new AtomicInteger();
    private final Map<String, HitCounts> byPoint = new HashMap<>();
    private HitCounts total = HitCounts.NONE;

    /** @param buffer where they log to */
    OwnSubscriptions(String buffer) {
        this.buffer = buffer;
    }

    /** Ends them all; what they logged stays in the buffer. Returns what became of their hits. */
    HitCounts end(MagnetControl control) throws IOException {
        for (SubscriptionInfo subscription : control.subscriptions()) {
            if (subscription.buffer().equals(buffer)) {
                HitCounts hits = end(control, subscription).total();
                total = total.plus(hits);
                byPoint.merge(subscription.point(), hits, HitCounts::plus);
                ended.incrementAndGet();
            }
        }
        return total;
    }

    /** What became of the hits of those of a point that have ended. */
    HitCounts of(String point) {
        return byPoint.getOrDefault(point, HitCounts.NONE);
    }

    /** Events that they have logged so far, whether or not they have ended. */
    long logged(MagnetControl control) throws IOException {
        return total.committed()
                + control.subscriptions().stream()
                        .filter(subscription -> subscription.buffer().equals(buffer))
                        .mapToLong(subscription -> subscription.total().committed())
                        .sum();
    }

    /** Of one that somebody else ended meanwhile, what was last known. */
    private static SubscriptionInfo end(MagnetControl control, SubscriptionInfo subscription) throws IOException {
        try {
            return control.unsubscribe(subscription.id());
        } catch (ControlException e) {
            if (e.errno() == Errno.ENOENT) {
                return subscription;
            }
            throw e;
        }
    }

    /** How many have ended so far: letting go of a hook takes time, seconds on a busy machine. */
    int ended() {
        return ended.get();
    }

    /** The end of a line that says what became of hits. */
    static String account(HitCounts total) {
        long lost = total.dropped() + total.missed();
        return "of %d hits %s were lost%s%s"
                .formatted(
                        total.hits(),
                        lost == 0 ? "none" : Long.toString(lost),
                        total.filtered() == 0 ? "" : ", " + total.filtered() + " filtered",
                        total.sampledOut() == 0 ? "" : ", " + total.sampledOut() + " left out by sampling");
    }
}
