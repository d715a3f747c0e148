// SPDX-License-Identifier: Apache-2.0
package magnet.it.ganglia;

import java.util.Optional;
import java.util.stream.IntStream;
import magnet.metric.JobMetrics;

/**
 * One of the jobs that a gmond tells of. Immutable.
 *
 * @param xml what gmond tells
 * @param stem what the names of the job's metrics begin with
 */
public record PublishedJob(GmondXml xml, String stem) {
    private static final String WINDOW = "magnet_sensor_window_length";

    /** The job of this name; empty if it has none of the slots. */
    public static Optional<PublishedJob> named(GmondXml xml, String name) {
        return IntStream.rangeClosed(1, JobMetrics.SLOTS)
                .mapToObj(slot -> new PublishedJob(xml, "magnet_job" + slot + "_"))
                .filter(job -> job.text("job_name").filter(name::equals).isPresent())
                .findFirst();
    }

    /** A metric that is a text, by its name without the begin. */
    public Optional<String> text(String key) {
        return xml.metric(stem + key).map(GmondMetric::value);
    }

    /** One that is a number. */
    public double number(String key) {
        return Double.parseDouble(text(key).orElseThrow());
    }

    /** A rate as a count over the whole window, or a share in percent as seconds times 100. */
    public double overWindow(String key) {
        return number(key) * Double.parseDouble(xml.metric(WINDOW).orElseThrow().value());
    }
}
