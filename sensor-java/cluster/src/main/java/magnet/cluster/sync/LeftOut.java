// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

/** Why a record of a packet is of no use for clocks. */
enum LeftOut {
    /** Neither TCP, UDP nor ICMP: nothing in it tells it from others. */
    OTHER_PROTOCOL("other_protocol"),
    /** Not the first fragment of a datagram. */
    FRAGMENT("fragment"),
    /** From or to an address that each node has: what one sends another never receives. */
    LOOPBACK("loopback"),
    /** Less of it was recorded than the key takes. */
    SHORT("short"),
    /** After the timer jumped, as after a suspend. */
    AFTER_JUMP("after_jump"),
    /** Its key is that of another packet, too. */
    DUPLICATE("duplicate"),
    /** Sent, and no other node has recorded that it received it: lost, gone elsewhere, or changed on its way. */
    NOT_RECEIVED("not_received"),
    /** Received, and no node has recorded that it sent it. */
    NOT_SENT("not_sent");

    private final String label;

    LeftOut(String label) {
        this.label = label;
    }

    /** The key in sync.json. */
    String label() {
        return label;
    }
}
