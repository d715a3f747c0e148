// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.Set;
import magnet.record.EventType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetricTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "sched_wait_p99",
                "magnet_sched_p99",
                "magnet_Sched_wait_p99",
                "magnet_sched_wait_io/s",
                "magnet_sched_wait p99",
                "magnet_sched__wait_p99",
                "magnet_sched_wait_p99_",
                "magnet_sched_wait_report",
                "magnet_sched_wait_p\u00e9"
            })
    void shouldRefuseWhenTheNameIsNotAllowed(String name) {
        assertThatThrownBy(() -> metric(name, "us", "title", "text"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("metric name not allowed: " + name);
    }

    @Test
    void shouldHaveGmondsNameOnlyWhenItTakesThePlaceOfThatMetric() {
        assertThat(metric("cpu_user", MetricGroup.GMOND_CPU).name()).isEqualTo("cpu_user");
        assertThatThrownBy(() -> metric("cpu_user", MetricGroup.SCHEDULER)).hasMessageContaining("not allowed");
        assertThatThrownBy(() -> metric("magnet_sched_wait_p99", MetricGroup.GMOND_CPU))
                .hasMessageContaining("not allowed");
        assertThatThrownBy(() -> metric("", MetricGroup.GMOND_CPU)).hasMessageContaining("not allowed");
        assertThatThrownBy(() -> metric("cpu_report", MetricGroup.GMOND_CPU)).hasMessageContaining("not allowed");
    }

    @Test
    void shouldRefuseWhenTheNameIsTooLong() {
        String name = "magnet_sched_wait_" + "x".repeat(Metric.NAME_MAX - 18);
        assertThat(metric(name, "us", "title", "text").name()).hasSize(Metric.NAME_MAX);
        assertThatThrownBy(() -> metric(name + "x", "us", "title", "text")).hasMessageContaining("not allowed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a < b", "a > b", "R&D", "it's", "a \"b\"", "tab\there", "\u00b5s", "line\nline"})
    void shouldRefuseWhenATextWouldBreakTheXml(String text) {
        assertThatThrownBy(() -> metric("magnet_sched_wait_p99", text, "title", "text"))
                .hasMessage("text of magnet_sched_wait_p99 not allowed: " + text);
        assertThatThrownBy(() -> metric("magnet_sched_wait_p99", "us", text, "text"))
                .hasMessageContaining("not allowed");
        assertThatThrownBy(() -> metric("magnet_sched_wait_p99", "us", "title", text))
                .hasMessageContaining("not allowed");
    }

    @Test
    void shouldBeComputableWhenAllItsEventsAreThere() {
        Metric metric = SchedulerMetrics.RUN_QUEUE_WAIT.max();
        assertThat(metric.isComputableFrom(EnumSet.of(EventType.SCHED_SWITCH))).isFalse();
        assertThat(metric.isComputableFrom(EnumSet.of(EventType.SCHED_SWITCH, EventType.SCHED_WAKEUP)))
                .isTrue();
    }

    private static Metric metric(String name, String unit, String title, String description) {
        return metric(name, MetricGroup.SCHEDULER, unit, title, description);
    }

    private static Metric metric(String name, MetricGroup group) {
        return metric(name, group, "us", "title", "text");
    }

    private static Metric metric(String name, MetricGroup group, String unit, String title, String description) {
        return new Metric(
                name,
                group,
                Level.SUMMARY,
                unit,
                title,
                description,
                Slope.BOTH,
                ValueType.DOUBLE,
                3,
                Set.of(EventType.SCHED_SWITCH),
                true);
    }
}
