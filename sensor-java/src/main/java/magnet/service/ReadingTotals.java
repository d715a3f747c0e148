// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static java.util.Map.entry;

import java.util.Map;
import magnet.magnetfs.CollectorCounter;
import magnet.metric.Metric;
import magnet.metric.SensorMetrics;
import magnet.publish.DistinctErrors;
import magnet.summary.EventSummary;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the collector counts becomes metrics of the sensor. What it had to pass over because it was no record is also said
 * in the log, once. For one thread.
 */
final class ReadingTotals {
    /** All counters have one; of {@link CollectorCounter#LOST} the summary keeps count itself, with what storm guards refuse. */
    static final Map<CollectorCounter, Metric> METRICS = Map.ofEntries(
            entry(CollectorCounter.RECORDS, SensorMetrics.RECORDS),
            entry(CollectorCounter.BYTES, SensorMetrics.READ_BYTES),
            entry(CollectorCounter.LATE, SensorMetrics.LATE),
            entry(CollectorCounter.MALFORMED, SensorMetrics.MALFORMED),
            entry(CollectorCounter.CORRUPT_BYTES, SensorMetrics.CORRUPT_BYTES),
            entry(CollectorCounter.ROUNDS, SensorMetrics.ROUNDS),
            entry(CollectorCounter.READS, SensorMetrics.READS));

    private static final Logger LOGGER = LoggerFactory.getLogger(ReadingTotals.class);

    private final DistinctErrors errors = new DistinctErrors(LOGGER);
    private long malformed;

    /** Takes note of all of them. To be called before a window is closed. */
    void note(RecordSource reading, EventSummary summary) {
        METRICS.forEach((counter, metric) -> summary.noteTotal(metric, reading.count(counter)));
        long now = reading.count(CollectorCounter.MALFORMED);
        if (now > malformed) {
            errors.record(
                    "malformed records, which no module writes, were passed over: module and service are perhaps not of one"
                            + " version, or memory is damaged; magnet_sensor_malformed_records_rate at level full and malformed of"
                            + " --summary count them");
        }
        malformed = now;
    }
}
