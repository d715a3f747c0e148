// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.List;
import magnet.control.HitCounts;
import magnet.control.SubscriptionInfo;

/** Says what became of the hits of a command's own points. Stateless. */
final class Losses {
    private Losses() {}

    /**
     * The end of a line.
     *
     * @param subscriptions everybody's
     * @param buffer the command's own
     */
    static String of(List<SubscriptionInfo> subscriptions, String buffer) {
        HitCounts total = subscriptions.stream()
                .filter(subscription -> subscription.buffer().equals(buffer))
                .map(SubscriptionInfo::total)
                .reduce(HitCounts.NONE, HitCounts::plus);
        long lost = total.dropped() + total.missed();
        return "of %d hits %s were lost%s%s"
                .formatted(
                        total.hits(),
                        lost == 0 ? "none" : Long.toString(lost),
                        total.filtered() == 0 ? "" : ", " + total.filtered() + " filtered",
                        total.sampledOut() == 0 ? "" : ", " + total.sampledOut() + " left out by sampling");
    }
}
