// SPDX-License-Identifier: Apache-2.0
package magnet.os;

/**
 * How well the kernel's wall clock is known to be right, as whoever disciplines it (chrony, ntpd, ptp4l with phc2sys) has told
 * the kernel: adjtimex(2), which needs no right to ask. Immutable.
 *
 * @param synchronised whether somebody disciplines it: STA_UNSYNC is not set
 * @param maxErrorUs the bound on its error, microseconds: the kernel lets it grow by 500 ppm until it is told anew
 * @param estimatedErrorUs its estimated error, microseconds
 * @param frequencyPpm by how much its rate is corrected, parts in a million
 */
public record ClockQuality(boolean synchronised, long maxErrorUs, long estimatedErrorUs, double frequencyPpm) {
    /**
     * {@code struct timex} of 64-bit machines: {@code u32 modes; s64 offset, freq, maxerror, esterror; s32 status; …}, each
     * at a multiple of its size.
     */
    private static final int TIMEX_SIZE = 208;

    private static final int FREQUENCY_OFFSET = 16;
    private static final int MAX_ERROR_OFFSET = 24;
    private static final int ESTIMATED_ERROR_OFFSET = 32;
    private static final int STATUS_OFFSET = 40;
    private static final int STA_UNSYNC = 0x40;
    /** Parts in a million have a binary fraction of 16 bits. */
    private static final double FREQUENCY_UNIT = 1 << 16;

    /** chronyd corrects much by the length of a tick, which is 10,000 µs, and the rest by the frequency. */
    private static final int TICK_OFFSET = 88;

    private static final int NOMINAL_TICK_US = 10_000;
    private static final double PPM_PER_TICK_US = 100;

    /**
     * Asks the kernel.
     *
     * @throws OsException if it does not answer
     */
    public static ClockQuality now() throws OsException {
        NativeBuffer timex = NativeBuffer.allocate(TIMEX_SIZE);
        if (Libc.adjtimex(timex.address(0, TIMEX_SIZE)) < 0) {
            throw new OsException("adjtimex", Libc.errno());
        }
        return new ClockQuality(
                (timex.bytes().getInt(STATUS_OFFSET) & STA_UNSYNC) == 0,
                timex.bytes().getLong(MAX_ERROR_OFFSET),
                timex.bytes().getLong(ESTIMATED_ERROR_OFFSET),
                timex.bytes().getLong(FREQUENCY_OFFSET) / FREQUENCY_UNIT
                        + (timex.bytes().getLong(TICK_OFFSET) - NOMINAL_TICK_US) * PPM_PER_TICK_US);
    }
}
