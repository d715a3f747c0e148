// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import java.util.Locale;

/** Why a datagram is not listened to. In the order in which they are looked for. */
public enum Refusal {
    /** Too short or too long, without the magic, or its length is not what it says: not one of ours. */
    SHORT,
    /** Signed with another key, or changed on its way. */
    BAD_MAC,
    /** Of another version of the protocol, or for something that this version does not know. */
    VERSION,
    /** Its counter is too far from the wall clock of who receives it. */
    STALE,
    /** Its counter is not above the last one of its sender: it has been received before. */
    REPLAY;

    /** Its name in counts: {@code bad_mac}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
