// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import magnet.metric.DistributionMetrics;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.spi.Distribution;
import magnet.summary.WindowedMax;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.IntCountsHistogram;
import org.jspecify.annotations.Nullable;

/**
 * A distribution of numbers that are not negative: a histogram with two significant digits for each slot of the window,
 * and the exact maximum. For one thread.
 *
 * <p>A histogram takes 0.5 KiB for each binary digit of its largest number, and is only made where there is one.
 */
final class DistributionInstrument implements Instrument, Distribution {
    private static final int DIGITS = 2;
    private static final int MAXIMUM = 100;

    private final DistributionMetrics metrics;
    private final double scale;
    private final @Nullable IntCountsHistogram[] slots;
    private final WindowedMax max;
    private int current;
    private long count;
    private long leftOut;
    private long largest;

    /**
     * @param scale what numbers are multiplied by when they are published
     * @param slots slots of the window
     */
    DistributionInstrument(DistributionMetrics metrics, double scale, int slots) {
        this.metrics = metrics;
        this.scale = scale;
        this.slots = new IntCountsHistogram[slots];
        this.max = new WindowedMax(slots);
    }

    @Override
    public void record(long value) {
        if (value < 0) {
            leftOut++;
            return;
        }
        IntCountsHistogram histogram = slots[current];
        if (histogram == null) {
            histogram = new IntCountsHistogram(DIGITS);
            slots[current] = histogram;
        }
        histogram.recordValue(value);
        max.record(value);
        count++;
        largest = Math.max(largest, value);
    }

    @Override
    public List<Metric> metrics() {
        return metrics.metrics();
    }

    @Override
    public void put(MetricSnapshot.Builder snapshot) {
        Histogram merged = new Histogram(DIGITS);
        for (AbstractHistogram slot : slots) {
            if (slot != null && slot.getTotalCount() > 0) {
                merged.add(slot);
            }
        }
        for (int i = 0; i < metrics.metrics().size(); i++) {
            double quantile = metrics.quantiles().get(i);
            // The histogram gives the upper end of a bucket, which may lie above the largest value in it.
            long value = quantile == MAXIMUM || merged.getTotalCount() == 0
                    ? max.max()
                    : Math.min(merged.getValueAtPercentile(quantile), max.max());
            snapshot.put(metrics.metrics().get(i), value * scale);
        }
    }

    @Override
    public Map<String, Object> totals() {
        return new TreeMap<>(Map.of("count", count, "left_out", leftOut, "max", largest * scale));
    }

    @Override
    public void advance() {
        current = (current + 1) % slots.length;
        IntCountsHistogram histogram = slots[current];
        if (histogram != null && histogram.getTotalCount() > 0) {
            histogram.reset();
        }
        max.advance();
    }
}
