// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

/**
 * The ways to a probe: those of the MAGNET paper's Table 2 ("Comparison of the Kernel Probe Mechanisms in the Linux 2.6
 * Kernel"), each by what stands in for it today, and one that the paper did not have.
 */
public enum Way {
    /** A kprobe that is a breakpoint. */
    BREAKPOINT("Kprobes", "~800"),
    /** A function's entry with its arguments, by ftrace; Linux 4.19 removed jprobes. */
    ENTRY("Jprobes", "~1000"),
    /** A function's return, with the time since its entry. */
    RETURN("Kretprobes", "~1100"),
    /** A kprobe that the kernel has made a jump of; djprobes became that in Linux 2.6.34. */
    JUMP("Djprobe", "~10"),
    /** A tracepoint. */
    TRACEPOINT("-", "-");

    private final String inPaper;
    private final String paperNanos;

    Way(String inPaper, String paperNanos) {
        this.inPaper = inPaper;
        this.paperNanos = paperNanos;
    }

    /** What the paper calls it; {@code -} if it does not have it. */
    public String inPaper() {
        return inPaper;
    }

    /** The paper's "performance overhead" in nanoseconds. */
    public String paperNanos() {
        return paperNanos;
    }
}
