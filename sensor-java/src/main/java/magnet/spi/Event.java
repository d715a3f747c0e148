// SPDX-License-Identifier: Apache-2.0
package magnet.spi;

/** One event. The object is used again for the next one, so it must not be kept. For the handlers' thread. */
public interface Event {
    /** Index of its point in {@link Handler#points()}. */
    int point();

    /** The CPU that it happened on. */
    int cpu();

    /** The process that was running. */
    int tgid();

    /** The thread that was running; 0 in layout {@code classic}, which does not say. */
    int tid();

    /** What joins events, such as the cookie of a socket; docs/record-format.md says what it is for each point. */
    long id();

    /**
     * When it happened, in ticks of the records' clock; {@link HandlerSetup#nanosPerTick()} scales differences. Events
     * come in the order of time but for late ones, whose difference is negative.
     */
    long timer();

    /** A field as a number, extended by its sign if it has one; a u64 above {@link Long#MAX_VALUE} is negative. */
    long number(Field field);

    /** A field as a text, up to its first NUL; a number in digits. Allocates. Bytes that are not ASCII become {@code ?}. */
    String text(Field field);
}
