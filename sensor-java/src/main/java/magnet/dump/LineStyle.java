// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

/**
 * How lines show packets, in the manner of tcpdump's letters.
 *
 * @param time what stands in front of a line
 * @param isNumbered whether packets are counted
 * @param hasLink whether lines have what is known of the link: the device's number, the ethertype, the length
 * @param isQuiet whether only the kind of a packet is said
 * @param isVerbose whether IP's header is said
 * @param bytes whether and how the bytes of packets follow
 */
public record LineStyle(
        Time time, boolean isNumbered, boolean hasLink, boolean isQuiet, boolean isVerbose, Bytes bytes) {
    /** A clock's time, and nothing that is asked for. */
    public static final LineStyle USUAL = new LineStyle(Time.CLOCK, false, false, false, false, Bytes.NONE);

    /** Whether nothing is asked for but what a line says of its packet. */
    public boolean isUsual() {
        return new LineStyle(time, isNumbered, hasLink, isQuiet, false, bytes).equals(USUAL);
    }

    /** What stands in front of a line; in the order of tcpdump's {@code -t}, {@code -tt} and so on. */
    public enum Time {
        CLOCK,
        NONE,
        /** Seconds since 1970. */
        SECONDS,
        /** Since the packet before. */
        SINCE_LAST,
        DATE_AND_CLOCK,
        /** Since the first packet. */
        SINCE_FIRST
    }

    /** The bytes of packets. */
    public enum Bytes {
        NONE,
        HEX,
        HEX_AND_TEXT,
        TEXT
    }
}
