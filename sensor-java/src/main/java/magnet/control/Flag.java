// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.util.Set;

/** What can be asked of a buffer or a subscription: {@code MAGNET_F_*}. */
public enum Flag {
    /** It outlives the socket that made it. */
    PERSISTENT(0x1),
    /** Of a subscription: its events wake the reader at once. */
    URGENT(0x2),
    /** Of a buffer: a flight recorder, the newest events overwrite the oldest. */
    OVERWRITE(0x4);

    private final int bit;

    Flag(int bit) {
        this.bit = bit;
    }

    int bit() {
        return bit;
    }

    static int bits(Set<Flag> flags) {
        int bits = 0;
        for (Flag flag : flags) {
            bits |= flag.bit;
        }
        return bits;
    }

    /** Whether a set of bits has it. */
    boolean in(long bits) {
        return (bits & bit) != 0;
    }
}
