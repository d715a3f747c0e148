// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.List;
import java.util.Map;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.spi.Count;
import magnet.summary.WindowedCount;

/** A sum, published as it is or per second. For one thread. */
final class CountInstrument implements Instrument, Count {
    private final Metric metric;
    private final boolean perSecond;
    private final WindowedCount window;
    private long total;

    CountInstrument(Metric metric, boolean perSecond, int slots) {
        this.metric = metric;
        this.perSecond = perSecond;
        this.window = new WindowedCount(slots);
    }

    @Override
    public void add(long amount) {
        window.add(amount);
        total += amount;
    }

    @Override
    public List<Metric> metrics() {
        return List.of(metric);
    }

    @Override
    public void put(MetricSnapshot.Builder snapshot) {
        if (perSecond) {
            snapshot.putRate(metric, window.sum());
        } else {
            snapshot.put(metric, (double) window.sum());
        }
    }

    @Override
    public Map<String, Object> totals() {
        return Map.of("sum", total);
    }

    @Override
    public void advance() {
        window.advance();
    }
}
