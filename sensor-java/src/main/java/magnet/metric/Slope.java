// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

/**
 * How a value may change over time; gmetad picks the type of a new round-robin database by it.
 *
 * <p>Source of the numbers: {@code Ganglia_slope_t} in Ganglia's {@code gm_protocol.x}.
 */
public enum Slope {
    /** Never changes; Ganglia's web draws no graph of it. */
    ZERO("zero", 0),
    /** A gauge: up and down. Every number that magnet computes is one. */
    BOTH("both", 3);

    private final String word;
    private final int wire;

    Slope(String word, int wire) {
        this.word = word;
        this.wire = wire;
    }

    /** The word in gmond's XML. */
    public String word() {
        return word;
    }

    /** The number in a metadata packet. */
    public int wire() {
        return wire;
    }
}
