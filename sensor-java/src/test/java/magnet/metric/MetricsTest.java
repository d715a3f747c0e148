// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import magnet.record.EventType;
import org.junit.jupiter.api.Test;

class MetricsTest {

    @Test
    void shouldKeepTheBudgetWhenAllGroupsAreOn() {
        assertThat(Metrics.ALL).hasSizeLessThanOrEqualTo(Metrics.BUDGET);
    }

    @Test
    void shouldNameEachMetricOnceWhenListed() {
        assertThat(Metrics.ALL).extracting(Metric::name).doesNotHaveDuplicates();
        assertThat(Metrics.ALL).extracting(Metric::title).doesNotHaveDuplicates();
    }

    @Test
    void shouldHaveMetricsOfEveryGroupWhenListed() {
        assertThat(Metrics.ALL).extracting(Metric::group).contains(MetricGroup.values());
    }

    @Test
    void shouldNeedTheFullJourneyWhenNetworkAndJourneyAreOn() {
        assertThat(Metrics.eventsOf(EnumSet.of(MetricGroup.JOURNEY)))
                .containsExactlyInAnyOrder(
                        EventType.INET_SENDMSG, EventType.UDP_SENDMSG, EventType.IP_SEND_SKB, EventType.DEV_QUEUE_XMIT);
        assertThat(Metrics.eventsOf(EnumSet.of(MetricGroup.SENSOR))).isEmpty();
    }

    @Test
    void shouldLeaveOutWhatAPointIsMissingForWhenSelected() {
        Set<EventType> available = EnumSet.of(EventType.SCHED_SWITCH, EventType.SCHED_PROCESS_EXEC);
        List<Metric> selected = Metrics.select(EnumSet.of(MetricGroup.SCHEDULER), available);
        assertThat(selected)
                .contains(Metrics.CONTEXT_SWITCHES, Metrics.IDLE_GAP_MAX, Metrics.SENSOR_POINTS_FAILED)
                .doesNotContain(Metrics.EXECS)
                .doesNotContainAnyElementsOf(Metrics.RUN_QUEUE_WAIT.metrics());
        assertThat(Metrics.select(Set.of(), EnumSet.allOf(EventType.class)))
                .extracting(Metric::group)
                .containsOnly(MetricGroup.SENSOR);
    }
}
