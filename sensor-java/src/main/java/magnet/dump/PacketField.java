// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

/** What expressions ask of a packet, by the names that the kernel's rules have for it. */
enum PacketField {
    ETHERTYPE("ethertype", 0xffff),
    PROTOCOL("protocol", 0xff),
    SOURCE_PORT("sport", 0xffff),
    DESTINATION_PORT("dport", 0xffff),
    SOURCE_ADDRESS("saddr", 0),
    DESTINATION_ADDRESS("daddr", 0),
    CPU("cpu", 0xffff),
    PROCESS("tgid", 0xffff_ffffL),
    THREAD("tid", 0xffff_ffffL),
    /** 1 if it goes out, 0 if it comes in. No rule has it: it is the point that tells. */
    SENT("", 1);

    private final String label;
    private final long most;

    PacketField(String label, long most) {
        this.label = label;
        this.most = most;
    }

    String label() {
        return label;
    }

    /** The largest number that it can be. */
    long most() {
        return most;
    }
}
