// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.util.Locale;

/** How the kernel really gets to a point's handler at present: {@code enum magnet_hook}. */
public enum Hook {
    /** Not at all: nobody subscribes. */
    NONE(0),
    /** A tracepoint. */
    TRACEPOINT(1),
    /** The call at a function's entry. */
    FTRACE(2),
    /** A breakpoint. */
    BREAKPOINT(3),
    /** A jump in place of a breakpoint. */
    JUMP(4),
    /** One that this version does not know. */
    UNKNOWN(-1);

    private final int id;

    Hook(int id) {
        this.id = id;
    }

    int id() {
        return id;
    }

    static Hook of(long id) {
        for (Hook hook : values()) {
            if (hook.id == id) {
                return hook;
            }
        }
        return UNKNOWN;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
