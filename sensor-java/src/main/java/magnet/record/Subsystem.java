// SPDX-License-Identifier: Apache-2.0
package magnet.record;

/** The part of the kernel that an event comes from. */
public enum Subsystem {
    NET("net", "network"),
    SCHED("sched", "scheduler and processes"),
    IRQ("irq", "interrupts"),
    MEMORY("memory", "page faults and shortage of memory"),
    BLOCK("block", "block devices"),
    SYSCALL("syscall", "system calls"),
    USER("user", "what programs say"),
    SENSOR("sensor", "what the sensor says of itself");

    private final String label;
    private final String title;

    Subsystem(String label, String title) {
        this.label = label;
        this.title = title;
    }

    /** The name that the kernel module uses. */
    public String label() {
        return label;
    }

    /** What it is, for people. */
    public String title() {
        return title;
    }
}
