// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static java.util.Map.entry;

import java.util.Map;
import java.util.function.ObjLongConsumer;
import magnet.agent.DistinctErrors;
import magnet.magnetfs.CollectorCounter;
import magnet.metric.HandlerMetrics;
import magnet.metric.Metric;
import magnet.metric.SensorMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a collector counts becomes metrics. What it had to pass over because it was no record is also said in the log, once.
 * For one thread.
 */
public final class ReadingTotals {
    /** All counters have one; of {@link CollectorCounter#LOST} the summary keeps count itself, with what storm guards refuse. */
    public static final Map<CollectorCounter, Metric> METRICS = Map.ofEntries(
            entry(CollectorCounter.RECORDS, SensorMetrics.RECORDS),
            entry(CollectorCounter.BYTES, SensorMetrics.READ_BYTES),
            entry(CollectorCounter.LATE, SensorMetrics.LATE),
            entry(CollectorCounter.EPOCHS, SensorMetrics.CLOCK_JUMPS),
            entry(CollectorCounter.MALFORMED, SensorMetrics.MALFORMED),
            entry(CollectorCounter.CORRUPT_BYTES, SensorMetrics.CORRUPT_BYTES),
            entry(CollectorCounter.ROUNDS, SensorMetrics.ROUNDS),
            entry(CollectorCounter.READS, SensorMetrics.READS));

    /** Of own handlers' buffer: what says that their values are not all of the truth. */
    private static final Map<CollectorCounter, Metric> OF_HANDLERS = Map.ofEntries(
            entry(CollectorCounter.LATE, HandlerMetrics.LATE),
            entry(CollectorCounter.MALFORMED, HandlerMetrics.MALFORMED));

    private static final Logger LOGGER = LoggerFactory.getLogger(ReadingTotals.class);

    private final Map<CollectorCounter, Metric> metrics;
    private final String malformedText;
    private final DistinctErrors errors = new DistinctErrors(LOGGER);
    private long malformed;

    private ReadingTotals(Map<CollectorCounter, Metric> metrics, String malformedText) {
        this.metrics = metrics;
        this.malformedText = malformedText;
    }

    private static String malformedText(String whose, String counted) {
        return "malformed records" + whose
                + ", which no module writes, were passed over: module and service"
                + " are perhaps not of one version, or memory is damaged; " + counted + " of --summary count them";
    }

    /** Of the events that the metrics of the catalogue are made of. */
    public static ReadingTotals ofSensor() {
        return new ReadingTotals(
                METRICS, malformedText("", SensorMetrics.MALFORMED.name() + " at level full and malformed"));
    }

    /** Of the events for own handlers. */
    public static ReadingTotals ofHandlers() {
        return new ReadingTotals(
                OF_HANDLERS,
                malformedText(" for own handlers", HandlerMetrics.MALFORMED.name() + " and handler_malformed"));
    }

    /** The same as the sensor's, for who has no log. */
    static ReadingTotals unsaid() {
        return new ReadingTotals(METRICS, "");
    }

    /**
     * Takes note of all of them. To be called before a window is closed.
     *
     * @param totals takes what a metric has come to since start
     */
    public void note(RecordSource reading, ObjLongConsumer<Metric> totals) {
        metrics.forEach((counter, metric) -> totals.accept(metric, reading.count(counter)));
        long now = reading.count(CollectorCounter.MALFORMED);
        if (now > malformed && !malformedText.isEmpty()) {
            errors.record(malformedText);
        }
        malformed = now;
    }
}
