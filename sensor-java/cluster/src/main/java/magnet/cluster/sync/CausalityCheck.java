// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.Optional;

/** Holds all packets of a pair against the nodes' clocks: none was received before it was sent. For one pair. */
final class CausalityCheck {
    /** Both instants are rounded twice: when they are stamped, and when they become the reference's. */
    private static final long ROUNDING_NS = 2 * PairHulls.GRAIN_NS;

    private final int sender;
    private final int receiver;
    private final PairPackets.Way way;
    private final NodeClock ofSender;
    private final NodeClock ofReceiver;

    private CausalityCheck(int sender, int receiver, PairPackets.Way way, NodeClock ofSender, NodeClock ofReceiver) {
        this.sender = sender;
        this.receiver = receiver;
        this.way = way;
        this.ofSender = ofSender;
        this.ofReceiver = ofReceiver;
    }

    /** The worst violation of a pair, if there is any. */
    static Optional<Violation> of(PairPackets packets, NodeClock first, NodeClock second) {
        Violation forth = new CausalityCheck(packets.first(), packets.second(), packets.forth(), first, second).worst();
        Violation back = new CausalityCheck(packets.second(), packets.first(), packets.back(), second, first).worst();
        long count = forth.count() + back.count();
        if (count == 0) {
            return Optional.empty();
        }
        Violation odd = odd(forth, back);
        return Optional.of(
                new Violation(odd.sender(), odd.receiver(), odd.sentNs(), odd.receivedNs(), odd.byNs(), count));
    }

    /** One packet may contradict many of the other direction: it is the odd one where fewer are in the wrong. */
    private static Violation odd(Violation forth, Violation back) {
        if (forth.count() == 0 || back.count() == 0) {
            return forth.count() == 0 ? back : forth;
        }
        if (forth.count() != back.count()) {
            return forth.count() < back.count() ? forth : back;
        }
        return forth.byNs() >= back.byNs() ? forth : back;
    }

    private Violation worst() {
        long count = 0;
        long most = 0;
        int worst = -1;
        for (int packet = 0; packet < way.size(); packet++) {
            long early = ofSender.toReferenceNs(way.sentNs(packet)) - ofReceiver.toReferenceNs(way.receivedNs(packet));
            if (early > ROUNDING_NS) {
                count++;
                if (early > most) {
                    most = early;
                    worst = packet;
                }
            }
        }
        return worst < 0
                ? new Violation(sender, receiver, 0, 0, 0, 0)
                : new Violation(sender, receiver, way.sentNs(worst), way.receivedNs(worst), most, count);
    }
}
