// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.metric.Metric;
import magnet.metric.SensorMetrics;

/**
 * What gmetad has of one node. Values are as the node sent them: any text.
 *
 * @param cluster the cluster that it is in
 * @param node the host's name
 * @param host when the host was heard of last
 * @param sensor when magnet was; empty if gmetad knows nothing of it
 * @param values those of {@link #TOLD} that there are, by name
 */
record NodeReport(ClusterName cluster, String node, Heard host, Optional<Heard> sensor, Map<String, String> values) {
    /** gmetad takes a host for down that has been silent for so many times its TMAX. */
    private static final int SILENT_AFTER = 4;

    private static final Pattern NUMBER = Pattern.compile("\\d{1,15}(?:\\.\\d{1,9})?");

    /** The metrics that a node is judged by. */
    static final Set<String> TOLD = Stream.of(
                    SensorMetrics.WINDOW,
                    SensorMetrics.LOST,
                    SensorMetrics.LOSSY,
                    SensorMetrics.MISSED,
                    SensorMetrics.MALFORMED,
                    SensorMetrics.PUBLISH_FAILURES,
                    SensorMetrics.POINTS_FAILED,
                    SensorMetrics.POINTS_BLIND,
                    SensorMetrics.CLOCK_UNSTABLE,
                    SensorMetrics.VERSION)
            .map(Metric::name)
            .collect(Collectors.toUnmodifiableSet());

    /**
     * When something was heard of.
     *
     * @param seconds so long ago
     * @param most the longest time between two values, as who sends them says
     */
    record Heard(double seconds, double most) {
        boolean isSilent() {
            return seconds >= SILENT_AFTER * most;
        }
    }

    NodeReport {
        values = Map.copyOf(values);
    }

    /** Whether gmetad knows anything of magnet there. */
    boolean hasSensor() {
        return sensor.isPresent();
    }

    /** A metric's number; empty if it is not published there, or is none. */
    OptionalDouble number(Metric metric) {
        String value = values.get(metric.name());
        return value == null || !NUMBER.matcher(value).matches()
                ? OptionalDouble.empty()
                : OptionalDouble.of(Double.parseDouble(value));
    }

    /** The metrics that ought to be numbers and are none, with what they are. */
    Map<String, String> notNumbers() {
        Map<String, String> wrong = new HashMap<>(values);
        wrong.remove(SensorMetrics.VERSION.name());
        wrong.values().removeIf(value -> NUMBER.matcher(value).matches());
        return wrong;
    }

    /** How often something happened that is told as a rate, in the window. */
    long inWindow(Metric rate) {
        double window = number(SensorMetrics.WINDOW).orElse(0);
        double perSecond = number(rate).orElse(0);
        long count = Math.round(perSecond * window);
        // A rate without its window says at least that there was something.
        return count == 0 && perSecond > 0 ? 1 : count;
    }

    /** The versions that it tells, if it does. */
    Optional<SensorVersion> version() {
        return Optional.ofNullable(values.get(SensorMetrics.VERSION.name())).map(SensorVersion::of);
    }
}
