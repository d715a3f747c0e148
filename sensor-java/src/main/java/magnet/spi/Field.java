// SPDX-License-Identifier: Apache-2.0
package magnet.spi;

/** A field of a point's events, found by its name once, before events come. Immutable. */
public interface Field {
    /** Its name. */
    String name();

    /** Whether it is a text; {@link Event#number} of a text is 0. */
    boolean isText();
}
