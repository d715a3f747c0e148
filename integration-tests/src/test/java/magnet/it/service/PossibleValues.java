// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import magnet.metric.Metric;
import magnet.metric.Metrics;
import magnet.metric.SensorMetrics;
import magnet.metric.ValueType;

/** What no published value can be, whatever has happened to the machine's clocks. Stateless. */
final class PossibleValues {
    private static final double ALL_OF_ONE_CPU = 100;
    /** Each thread of a process can wait all the time, and no process of a test has more of them. */
    private static final int THREADS = 100;

    private static final double MICROS_PER_SECOND = 1e6;
    /** Windows and CPU time end at instants of their own. */
    private static final double ROOM = 1.02;

    private PossibleValues() {}

    /**
     * Fails if a value of a window cannot be.
     *
     * @param cpus how many the machine has
     * @param upSeconds how long the machine has been up: nothing took longer
     */
    static void check(TeeWindow window, int cpus, double upSeconds) {
        for (Metric metric : Metrics.ALL) {
            if (metric.type() == ValueType.STRING || !window.names().contains(metric.name())) {
                continue;
            }
            double value = window.value(metric.name());
            assertThat(value).as(metric.name()).isNotNegative().isFinite();
            if (metric.unit().equals("%")) {
                assertThat(value).as(metric.name()).isLessThanOrEqualTo(most(metric, cpus) * ALL_OF_ONE_CPU * ROOM);
            } else if (metric.unit().equals("us")) {
                assertThat(value).as(metric.name()).isLessThanOrEqualTo(upSeconds * MICROS_PER_SECOND);
            }
        }
    }

    /** How often all of the time a share of it can be. */
    private static int most(Metric metric, int cpus) {
        if (metric.name().startsWith("magnet_top_wait_")) {
            return THREADS;
        }
        return metric.name().startsWith("magnet_top_") || metric.equals(SensorMetrics.CPU) ? cpus : 1;
    }
}
