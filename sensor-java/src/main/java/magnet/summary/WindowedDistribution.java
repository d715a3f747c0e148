// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.stream.Stream;
import magnet.metric.BucketMetrics;
import magnet.metric.DistributionMetrics;
import magnet.metric.MetricSnapshot;
import org.HdrHistogram.Histogram;

/**
 * A distribution of times over the trailing window: a histogram of nanoseconds with two significant digits for each
 * slot, and the exact maximum in ticks beside it. For one thread.
 *
 * <p>A slot takes 18 KiB, and a histogram of 36 KiB is made for a moment when the snapshot is built. A time above an hour
 * counts as an hour in the percentiles; the maximum stays exact.
 */
final class WindowedDistribution implements Windowed {
    private static final double NANOS_PER_MICRO = 1_000;

    private final TimerScale scale;
    private final TimeCounts[] slots;
    private final WindowedMax max;
    private int index;
    private TimeCounts current;

    /**
     * @param slots slots of the window
     * @param scale what the recorded ticks are
     */
    WindowedDistribution(int slots, TimerScale scale) {
        this(scale, Stream.generate(() -> new TimeCounts().reserve()).limit(slots));
    }

    private WindowedDistribution(TimerScale scale, Stream<TimeCounts> slots) {
        this.scale = scale;
        this.slots = slots.toArray(TimeCounts[]::new);
        this.current = this.slots[0];
        this.max = new WindowedMax(this.slots.length);
    }

    /** One of many, few of which have much in them: takes room as it is needed, 256 bytes at a time. */
    static WindowedDistribution ofMany(int slots, TimerScale scale) {
        return new WindowedDistribution(scale, Stream.generate(TimeCounts::new).limit(slots));
    }

    /** Records a time; it must not be negative. */
    void record(long ticks) {
        current.record(Math.min(scale.toNanos(ticks), TimeCounts.LONGEST_NANOS));
        max.record(ticks);
    }

    /** Times in the window. */
    long count() {
        long count = 0;
        for (TimeCounts slot : slots) {
            count += slot.total();
        }
        return count;
    }

    /** What {@link TimeCounts#histogram} makes a histogram of. */
    long[] counted() {
        return TimeCounts.counted(slots);
    }

    /** The exact maximum, in ticks. */
    long maxTicks() {
        return max.max();
    }

    /**
     * Puts percentiles and maximum into a snapshot; all are 0 if nothing was recorded. What is counted now counts; the
     * percentiles of it are found when the snapshot is built.
     */
    void put(DistributionMetrics metrics, MetricSnapshot.Builder snapshot) {
        double maxMicros = scale.toMicros(max.max());
        for (int i = 0; i < metrics.metrics().size(); i++) {
            if (metrics.quantiles().get(i) == 100) {
                snapshot.put(metrics.metrics().get(i), maxMicros);
            }
        }
        if (maxMicros > 0 && wantsPercentile(metrics, snapshot)) {
            long[] counted = TimeCounts.counted(slots);
            snapshot.later(with -> putPercentiles(metrics, counted, maxMicros, with));
        }
    }

    /** For the thread that builds the snapshot. */
    private static void putPercentiles(
            DistributionMetrics metrics, long[] counted, double maxMicros, MetricSnapshot.Builder snapshot) {
        Histogram histogram = TimeCounts.histogram(counted);
        for (int i = 0; i < metrics.metrics().size(); i++) {
            double quantile = metrics.quantiles().get(i);
            if (quantile != 100) {
                snapshot.put(metrics.metrics().get(i), micros(histogram, quantile, maxMicros));
            }
        }
    }

    /** A percentile. The histogram gives the upper end of a bucket, which may lie above the largest value in it. */
    static double micros(Histogram histogram, double quantile, double maxMicros) {
        return Math.min(histogram.getValueAtPercentile(quantile) / NANOS_PER_MICRO, maxMicros);
    }

    /** Puts how many are how long into a snapshot; nothing is counted again for it. */
    void put(BucketMetrics metrics, MetricSnapshot.Builder snapshot) {
        if (metrics.metrics().stream().noneMatch(snapshot::wants)) {
            return;
        }
        long[] counts = new long[BucketMetrics.BUCKETS];
        for (TimeCounts slot : slots) {
            slot.addTo(counts, metrics.endsNanos());
        }
        for (int i = 0; i < counts.length; i++) {
            snapshot.putRate(metrics.metrics().get(i), counts[i]);
        }
    }

    private static boolean wantsPercentile(DistributionMetrics metrics, MetricSnapshot.Builder snapshot) {
        for (int i = 0; i < metrics.metrics().size(); i++) {
            if (metrics.quantiles().get(i) != 100
                    && snapshot.wants(metrics.metrics().get(i))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void advance() {
        index = (index + 1) % slots.length;
        current = slots[index];
        current.reset();
        max.advance();
    }
}
