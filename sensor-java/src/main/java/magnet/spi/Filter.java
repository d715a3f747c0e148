// SPDX-License-Identifier: Apache-2.0
package magnet.spi;

/**
 * Decides in Java which events a declared handler gets, where the language of rules does not suffice. A section
 * {@code [handler ...]} names it by {@code filter = NAME}; it is asked for events that passed the section's rules.
 *
 * <p>A provider is named in {@code META-INF/services/magnet.spi.Filter}, and has a public constructor without parameters.
 * Each handler gets an object of its own. Threads and errors are as with {@link Handler}: one that throws switches the
 * handler off that uses it.
 */
public interface Filter {
    /** The name that sections refer to: lower case letters, digits, {@code _} and {@code -}. */
    String name();

    /**
     * Events of a point are about to come. Called once for each point of the handler.
     *
     * @param point index of the point, as {@link Event#point()} has it
     * @param fields what its events carry
     */
    void begin(int point, Fields fields);

    /**
     * Whether the handler gets this event. Called often: it should not allocate.
     *
     * @param event moves on as soon as this method returns
     */
    boolean passes(Event event);
}
