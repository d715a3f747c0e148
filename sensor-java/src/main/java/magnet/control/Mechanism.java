// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.util.Locale;

/** How a point is hooked: {@code enum magnet_mechanism}. */
public enum Mechanism {
    /** A tracepoint of the kernel. */
    TRACEPOINT(0),
    /** The entry of functions. */
    FTRACE(1),
    /** An instruction, by a breakpoint, or what the kernel makes of it. */
    KPROBE(2),
    /** The return of a function, with its entry. */
    KRETPROBE(3),
    /** The module itself. */
    MODULE(4),
    /** One that this version does not know. */
    UNKNOWN(-1);

    private final int id;

    Mechanism(int id) {
        this.id = id;
    }

    /** Whether the kernel gets there by a kprobe. */
    boolean isKprobe() {
        return this == KPROBE || this == KRETPROBE;
    }

    int id() {
        return id;
    }

    static Mechanism of(long id) {
        for (Mechanism mechanism : values()) {
            if (mechanism.id == id) {
                return mechanism;
            }
        }
        return UNKNOWN;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
