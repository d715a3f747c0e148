// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.metric.HandlerMetrics;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.spi.Count;
import magnet.spi.Description;
import magnet.spi.Distribution;
import magnet.spi.Fields;
import magnet.spi.HandlerSetup;
import magnet.summary.Windowed;
import magnet.trace.EventFormat;

/** What one handler has been given: the fields of its points, and its metrics. For one thread. */
final class Instruments implements HandlerSetup, Windowed {
    private static final int METRICS_MAX = 16;

    private final String handler;
    private final Level level;
    private final List<EventFormat> formats;
    private final OwnHandler.Scale scale;
    private final int slots;
    private final Map<String, Instrument> instruments = new LinkedHashMap<>();
    private final Set<String> names = new HashSet<>();

    /**
     * @param handler its name
     * @param level lowest level that has its metrics
     * @param formats what events of its points look like
     * @param scale what all handlers share
     */
    Instruments(String handler, Level level, List<EventFormat> formats, OwnHandler.Scale scale) {
        this.handler = handler;
        this.level = level;
        this.formats = List.copyOf(formats);
        this.scale = scale;
        this.slots = scale.slots();
    }

    @Override
    public Fields fields(int point) {
        return new PointFields(formats.get(point), scale.threads());
    }

    @Override
    public double nanosPerTick() {
        return scale.nanosPerTick();
    }

    @Override
    public Count count(Description metric) {
        return add(new CountInstrument(HandlerMetrics.count(stem(metric)), false, slots));
    }

    @Override
    public Count rate(Description metric) {
        return add(new CountInstrument(HandlerMetrics.rate(stem(metric)), true, slots));
    }

    @Override
    public Distribution distribution(Description metric, double factor) {
        return add(new DistributionInstrument(HandlerMetrics.distribution(stem(metric)), factor, slots));
    }

    private HandlerMetrics.Stem stem(Description metric) {
        try {
            check(metric);
        } catch (HandlerException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        return new HandlerMetrics.Stem(
                handler, metric.what(), metric.unit(), metric.title(), metric.text(), metric.group(), level);
    }

    /**
     * Refuses what Ganglia could not take.
     *
     * @throws HandlerException saying what it is
     */
    static void check(Description metric) throws HandlerException {
        HandlerNames.checkWhat(metric.what());
        HandlerNames.checkText("unit", metric.unit(), HandlerMetrics.UNIT_MAX);
        HandlerNames.checkText("title", metric.title(), HandlerMetrics.TITLE_MAX);
        HandlerNames.checkText("description", metric.text(), HandlerMetrics.DESCRIPTION_MAX);
        HandlerNames.checkGroup(metric.group());
    }

    private <T extends Instrument> T add(T instrument) {
        for (Metric each : instrument.metrics()) {
            if (!names.add(each.name())) {
                throw new IllegalArgumentException("there is a metric " + each.name() + " already");
            }
        }
        if (names.size() > METRICS_MAX) {
            throw new IllegalArgumentException("a handler has at most 16 metrics");
        }
        instruments.put(instrument.metrics().get(0).name(), instrument);
        return instrument;
    }

    /** What is published. */
    List<Metric> metrics() {
        List<Metric> all = new ArrayList<>();
        instruments.values().forEach(each -> all.addAll(each.metrics()));
        return all;
    }

    void put(MetricSnapshot.Builder snapshot) {
        instruments.values().forEach(each -> each.put(snapshot));
    }

    /** What came in since the begin, by the name of the first metric that it is published as. */
    Map<String, Object> totals() {
        Map<String, Object> totals = new LinkedHashMap<>();
        instruments.forEach((name, each) -> totals.put(name, each.totals()));
        return totals;
    }

    @Override
    public void advance() {
        instruments.values().forEach(Windowed::advance);
    }
}
