// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.metric.BucketMetrics;
import magnet.metric.MetricSnapshot;

/**
 * How many of a time are how long, over the trailing window, where no {@link WindowedDistribution} has the same times. For
 * one thread.
 */
final class WindowedBuckets implements Windowed {
    private final BucketMetrics metrics;
    private final TimerScale scale;
    private final long[] endsNanos;
    private final WindowedCount[] buckets = new WindowedCount[BucketMetrics.BUCKETS];

    WindowedBuckets(BucketMetrics metrics, int slots, TimerScale scale) {
        this.metrics = metrics;
        this.scale = scale;
        this.endsNanos = metrics.endsNanos();
        for (int i = 0; i < buckets.length; i++) {
            buckets[i] = new WindowedCount(slots);
        }
    }

    /** Records a time; it must not be negative. */
    void record(long ticks) {
        long nanos = scale.toNanos(ticks);
        // Which one it is cannot be guessed, so there is no branch: the sign of each difference is added up.
        int bucket = endsNanos.length;
        for (long end : endsNanos) {
            bucket += (int) ((nanos - end) >> (Long.SIZE - 1));
        }
        buckets[bucket].increment();
    }

    void put(MetricSnapshot.Builder snapshot) {
        for (int i = 0; i < buckets.length; i++) {
            snapshot.putRate(metrics.metrics().get(i), buckets[i].sum());
        }
    }

    @Override
    public void advance() {
        for (WindowedCount bucket : buckets) {
            bucket.advance();
        }
    }
}
