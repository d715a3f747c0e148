// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

/**
 * The type that is declared for a metric.
 *
 * <p>Ganglia has no 64-bit integer: {@link #DOUBLE} takes its place.
 */
public enum ValueType {
    UINT32("uint32"),
    /** What gmond gives its own numbers. */
    FLOAT("float"),
    DOUBLE("double"),
    STRING("string");

    private final String word;

    ValueType(String word) {
        this.word = word;
    }

    /** The word in metadata packets and in gmond's XML. */
    public String word() {
        return word;
    }
}
