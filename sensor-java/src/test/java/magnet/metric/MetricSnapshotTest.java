// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class MetricSnapshotTest {
    private static final List<Metric> METRICS = List.of(ProcessMetrics.FORKS, ProcessMetrics.EXECS);

    @Test
    void shouldGiveZeroWhenAValueIsMissingOrNotANumber() {
        MetricSnapshot snapshot = MetricSnapshot.of(Instant.EPOCH, 5, METRICS)
                .put(ProcessMetrics.EXECS, Double.NaN)
                .build();
        assertThat(snapshot.value(ProcessMetrics.FORKS)).hasValue(0);
        assertThat(snapshot.value(ProcessMetrics.EXECS)).hasValue(0);
        assertThat(snapshot.value(ProcessMetrics.EXITS)).isEmpty();
    }

    @Test
    void shouldDivideByTheWindowWhenACountIsARate() {
        MetricSnapshot snapshot = MetricSnapshot.of(Instant.EPOCH, 4, METRICS)
                .putRate(ProcessMetrics.EXECS, 10)
                .build();
        assertThat(snapshot.value(1)).isEqualTo(2.5);
        assertThat(snapshot.metric(1)).isEqualTo(ProcessMetrics.EXECS);
        assertThat(snapshot.windowSeconds()).isEqualTo(4);
        assertThat(MetricSnapshot.of(Instant.EPOCH, 0, METRICS)
                        .putRate(ProcessMetrics.EXECS, 10)
                        .build()
                        .value(1))
                .isZero();
    }

    @Test
    void shouldNotChangeWhenTheBuilderGoesOn() {
        MetricSnapshot.Builder builder = MetricSnapshot.of(Instant.EPOCH, 5, METRICS);
        MetricSnapshot snapshot = builder.put(ProcessMetrics.EXECS, 1).build();
        builder.put(ProcessMetrics.EXECS, 2);
        assertThat(snapshot.value(1)).isEqualTo(1);
    }
}
