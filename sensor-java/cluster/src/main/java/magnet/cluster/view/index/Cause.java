// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.util.Locale;

/**
 * What made a thread runnable.
 *
 * @param kind what sort of thing
 * @param number a {@link Subject} for threads, the interrupt's number for interrupts
 */
public record Cause(Kind kind, int number) {
    static final Cause NONE = new Cause(Kind.UNKNOWN, 0);

    private static final Kind[] KINDS = Kind.values();

    /** Sorts of causes. */
    public enum Kind {
        /** The trace does not say. */
        UNKNOWN(0),
        /** Another thread woke it, or made it. */
        THREAD(1),
        /** It was runnable all the time: that thread took the CPU. */
        PREEMPTED(2),
        /** The handler of a hard interrupt woke it. */
        HARD_INTERRUPT(3),
        /** The handler of a soft interrupt woke it. */
        SOFT_INTERRUPT(4),
        /** The handler of a soft interrupt woke it that had received a packet before. */
        PACKET(5);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        /** What it is called in answers. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    int word() {
        return kind.number << Subject.BITS | (number & Subject.LAST);
    }

    static Cause ofWord(int word) {
        int kind = word >>> Subject.BITS;
        return new Cause(kind < KINDS.length ? KINDS[kind] : Kind.UNKNOWN, word & Subject.LAST);
    }
}
