// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What the kernel counts and can read with an event: {@code enum magnet_counter}, in the order of their bits. */
public enum Counter {
    CYCLES(0x01),
    INSTRUCTIONS(0x02),
    CACHE_REFERENCES(0x04),
    CACHE_MISSES(0x08),
    BRANCHES(0x10),
    BRANCH_MISSES(0x20),
    /** Nanoseconds; needs no hardware. */
    CPU_CLOCK(0x40),
    /** Needs no hardware. */
    CONTEXT_SWITCHES(0x80);

    /** In place of a value: the counter could not be read. */
    public static final long UNREADABLE = -1;

    /** Most of them that a subscription can ask for. */
    public static final int MOST = 4;

    private final int bit;
    private final String label = name().toLowerCase(Locale.ROOT);

    Counter(int bit) {
        this.bit = bit;
    }

    /** Its bit in a set. */
    public int bit() {
        return bit;
    }

    /** Its name: {@code cache_misses}. */
    public String label() {
        return label;
    }

    /** The bits of a set. */
    public static int bits(Set<Counter> counters) {
        int bits = 0;
        for (Counter counter : counters) {
            bits |= counter.bit;
        }
        return bits;
    }

    /** The counters that a set of bits has; bits that this version does not know are passed over. */
    public static Set<Counter> ofBits(long bits) {
        EnumSet<Counter> counters = EnumSet.noneOf(Counter.class);
        for (Counter counter : values()) {
            if ((bits & counter.bit) != 0) {
                counters.add(counter);
            }
        }
        return counters;
    }
}
