// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.Locale;

/** How much is published, and so how much is hooked in the kernel. Each level has all that the one before it has. */
public enum Level {
    /** Is the node alive and well: only points that are hit rarely. */
    HEARTBEAT(0, "whether the node is alive and well, by points that are hit rarely"),
    /** What a node publishes as a rule. */
    SUMMARY(1, "what happens at each layer, the default"),
    /** Everything that can be computed. */
    FULL(2, "everything, for a node that is looked into");

    private final int number;
    private final String description;

    Level(int number, String description) {
        this.number = number;
        this.description = description;
    }

    /** How it is called in {@code magnet.conf}. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Its number in {@link SensorMetrics#LEVEL}. */
    public int number() {
        return number;
    }

    /** Half a sentence for the documentation. */
    public String description() {
        return description;
    }

    /** Whether what is published at the other level is published at this one. */
    public boolean includes(Level other) {
        return other.compareTo(this) <= 0;
    }

    /** The one of both that publishes more. */
    public static Level higher(Level one, Level other) {
        return one.includes(other) ? one : other;
    }
}
