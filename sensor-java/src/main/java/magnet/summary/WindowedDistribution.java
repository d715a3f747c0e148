// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.List;
import java.util.concurrent.TimeUnit;
import magnet.metric.DistributionMetrics;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import org.HdrHistogram.Histogram;

/**
 * A distribution of times over the trailing window: a histogram of nanoseconds with two significant digits for each
 * slot, and the exact maximum in ticks beside it. For one thread.
 *
 * <p>A histogram takes 36 KiB. A time above an hour counts as an hour in the percentiles; the maximum stays exact.
 */
final class WindowedDistribution implements Windowed {
    private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int DIGITS = 2;

    private final TimerScale scale;
    private final Histogram[] slots;
    private final Histogram merged = new Histogram(1, LONGEST_NANOS, DIGITS);
    private final WindowedMax max;
    private int current;

    /**
     * @param slots slots of the window
     * @param scale what the recorded ticks are
     */
    WindowedDistribution(int slots, TimerScale scale) {
        this.scale = scale;
        this.slots = new Histogram[slots];
        for (int i = 0; i < slots; i++) {
            this.slots[i] = new Histogram(1, LONGEST_NANOS, DIGITS);
        }
        this.max = new WindowedMax(slots);
    }

    /** Records a time; it must not be negative. */
    void record(long ticks) {
        slots[current].recordValue(Math.min(scale.toNanos(ticks), LONGEST_NANOS));
        max.record(ticks);
    }

    /** Times in the window. */
    long count() {
        long count = 0;
        for (Histogram slot : slots) {
            count += slot.getTotalCount();
        }
        return count;
    }

    /** The exact maximum, in ticks. */
    long maxTicks() {
        return max.max();
    }

    /** Puts percentiles and maximum into a snapshot; all are 0 if nothing was recorded. */
    void put(DistributionMetrics metrics, MetricSnapshot.Builder snapshot) {
        merged.reset();
        for (Histogram slot : slots) {
            merged.add(slot);
        }
        double maxMicros = scale.toMicros(max.max());
        List<Metric> names = metrics.metrics();
        for (int i = 0; i < names.size(); i++) {
            double quantile = metrics.quantiles().get(i);
            double micros = quantile == 100 ? maxMicros : merged.getValueAtPercentile(quantile) / 1_000.0;
            // The histogram gives the upper end of a bucket, which may lie above the largest value in it.
            snapshot.put(names.get(i), Math.min(micros, maxMicros));
        }
    }

    @Override
    public void advance() {
        current = (current + 1) % slots.length;
        slots[current].reset();
        max.advance();
    }
}
