// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import magnet.metric.Metric;
import magnet.metric.MetricGroup;
import magnet.metric.Metrics;
import magnet.record.EventType;
import org.junit.jupiter.api.Test;

class PointsTest {
    private final FakeKernel kernel = new FakeKernel();
    private final Points points = new Points(kernel);

    @Test
    void shouldSubscribeEndsFirstAndEndThemLastWhenIntervalsHaveTwo() throws ServiceException {
        points.subscribe(EnumSet.of(MetricGroup.INTERRUPTS));
        assertThat(kernel.log)
                .containsExactly("+irq_handler_exit", "+softirq_exit", "+irq_handler_entry", "+softirq_entry");
        kernel.log.clear();
        points.unsubscribe();
        assertThat(kernel.log)
                .containsExactly("-softirq_entry", "-irq_handler_entry", "-softirq_exit", "-irq_handler_exit");
        assertThat(points.finalCounters()).hasSize(4);
        assertThat(points.subscribed()).isEmpty();
    }

    @Test
    void shouldEndWhatIsOfNoUseWhenTheOtherHalfIsMissing() throws ServiceException {
        kernel.missing.put("softirq_exit", "none of the functions");
        List<Metric> metrics = points.subscribe(EnumSet.of(MetricGroup.INTERRUPTS));
        assertThat(metrics).contains(Metrics.HARD_INTERRUPT_MAX).doesNotContain(Metrics.SOFT_INTERRUPT_MAX);
        assertThat(points.subscribed())
                .containsExactlyInAnyOrder(EventType.IRQ_HANDLER_ENTRY, EventType.IRQ_HANDLER_EXIT);
        assertThat(points.failed()).isEqualTo(Map.of("softirq_exit", "none of the functions"));
    }

    @Test
    void shouldNeedNoPointWhenEveryGroupIsOff() throws ServiceException {
        List<Metric> metrics = new ArrayList<>(points.subscribe(EnumSet.of(MetricGroup.SENSOR)));
        assertThat(kernel.log).isEmpty();
        assertThat(metrics).isNotEmpty().extracting(Metric::group).containsOnly(MetricGroup.SENSOR);
    }
}
