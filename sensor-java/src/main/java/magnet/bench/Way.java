// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.util.OptionalInt;

/**
 * The ways to a probe: those of the MAGNET paper's Table 2 ("Comparison of the Kernel Probe Mechanisms in the Linux 2.6
 * Kernel"), each by what stands in for it today, and one that the paper did not have.
 */
public enum Way {
    /** A kprobe that is a breakpoint. */
    BREAKPOINT("Kprobes", 800),
    /** A function's entry with its arguments, by ftrace; Linux 4.19 removed jprobes. */
    ENTRY("Jprobes", 1_000),
    /** A function's return, with the time since its entry. */
    RETURN("Kretprobes", 1_100),
    /** A kprobe that the kernel has made a jump of; djprobes became that in Linux 2.6.34. */
    JUMP("Djprobe", 10),
    /** A tracepoint. */
    TRACEPOINT("-", 0);

    private final String inPaper;
    private final int paperNanos;

    Way(String inPaper, int paperNanos) {
        this.inPaper = inPaper;
        this.paperNanos = paperNanos;
    }

    /** What the paper calls it; {@code -} if it does not have it. */
    public String inPaper() {
        return inPaper;
    }

    /** The paper's "performance overhead" in nanoseconds, which it tells as about so many; empty if it does not have it. */
    public OptionalInt paperNanos() {
        return paperNanos == 0 ? OptionalInt.empty() : OptionalInt.of(paperNanos);
    }
}
