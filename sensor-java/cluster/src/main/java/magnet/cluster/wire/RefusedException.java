// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

/** A datagram is not listened to. */
public final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final Refusal refusal;

    RefusedException(Refusal refusal) {
        // Nobody looks where: it comes from the network, as often as somebody likes.
        super(refusal.label(), null, false, false);
        this.refusal = refusal;
    }

    /** Why. */
    public Refusal refusal() {
        return refusal;
    }
}
