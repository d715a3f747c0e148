// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

/**
 * Counts what could not be measured, since start. For one thread.
 *
 * <p>A time that is discarded is missing in its distribution; it never shows as a false value.
 */
final class Quality implements Windowed {
    private final WindowedCount discarded;
    private long lossDropped;
    private long evicted;
    private long unpaired;
    private long clamped;

    Quality(int slots) {
        this.discarded = new WindowedCount(slots);
    }

    /** Open intervals that were dropped because events were lost meanwhile. */
    void dropByLoss(long intervals) {
        lossDropped += intervals;
        discarded.add(intervals);
    }

    /** Open intervals that were pushed out of a full table. */
    void evict(long intervals) {
        evicted += intervals;
        discarded.add(intervals);
    }

    /** An interval whose begin and end do not fit together. */
    void unpair() {
        unpaired++;
        discarded.increment();
    }

    /** A length, or 0 and one more in the count if clocks of two CPUs or a late record made it negative. */
    long length(long ticks) {
        if (ticks >= 0) {
            return ticks;
        }
        clamped++;
        return 0;
    }

    /** All intervals that were discarded in the window. */
    long discardedInWindow() {
        return discarded.sum();
    }

    long lossDropped() {
        return lossDropped;
    }

    long evicted() {
        return evicted;
    }

    long unpaired() {
        return unpaired;
    }

    long clamped() {
        return clamped;
    }

    @Override
    public void advance() {
        discarded.advance();
    }
}
