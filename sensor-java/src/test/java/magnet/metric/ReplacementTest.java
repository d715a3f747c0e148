// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import magnet.record.EventType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ReplacementTest {

    /** As gmond 3.7.2 has them: {@code mod_cpu.c}, {@code mod_net.c}, and the titles of its default gmond.conf. */
    @ParameterizedTest
    @CsvSource({
        "cpu_user,    cpu,     %,           CPU User",
        "cpu_nice,    cpu,     %,           CPU Nice",
        "cpu_system,  cpu,     %,           CPU System",
        "cpu_idle,    cpu,     %,           CPU Idle",
        "cpu_intr,    cpu,     %,           CPU intr",
        "cpu_sintr,   cpu,     %,           CPU sintr",
        "bytes_in,    network, bytes/sec,   Bytes Received",
        "bytes_out,   network, bytes/sec,   Bytes Sent",
        "pkts_in,     network, packets/sec, Packets Received",
        "pkts_out,    network, packets/sec, Packets Sent",
    })
    void shouldBeAsGmondHasThem(String name, String group, String unit, String title) {
        Metric metric = Metrics.named(name).orElseThrow();
        assertThat(Replacement.all()).contains(metric).hasSize(10);
        assertThat(metric.group().ganglia()).isEqualTo(group);
        assertThat(metric.unit()).isEqualTo(unit);
        assertThat(metric.title()).isEqualTo(title);
        assertThat(metric.type().word()).isEqualTo("float");
        assertThat(metric.slope().word()).isEqualTo("both");
    }

    @Test
    void shouldNameWhatGmondMustNoLongerCollect() {
        assertThat(Replacement.CPU.gmondsNames())
                .containsExactly("cpu_idle", "cpu_nice", "cpu_steal", "cpu_system", "cpu_user", "cpu_wio");
        assertThat(Replacement.CPU_INTERRUPTS.gmondsNames()).containsExactly("cpu_intr", "cpu_sintr");
        assertThat(Replacement.NETWORK.gmondsNames()).containsExactly("bytes_in", "bytes_out", "pkts_in", "pkts_out");
    }

    @ParameterizedTest
    @EnumSource
    void shouldBePublishedAtEachLevelWhenReplaced(Level level) {
        MetricChoice nothing =
                new MetricChoice(MetricGroup.onByDefault(), level, List.of(), Level.FULL, Duration.ofSeconds(1));
        assertThat(Metrics.chosen(nothing, level, true))
                .isEqualTo(Metrics.of(level))
                .doesNotContainAnyElementsOf(Replacement.all());
        MetricChoice cpu = new MetricChoice(
                Set.of(MetricGroup.SENSOR),
                level,
                List.of(),
                Level.FULL,
                Duration.ofSeconds(1),
                Set.of(Replacement.CPU));
        assertThat(Metrics.chosen(cpu, level, true))
                .containsAll(Replacement.CPU.metrics())
                .doesNotContainAnyElementsOf(Replacement.NETWORK.metrics());
        assertThat(Metrics.eventsOf(Metrics.chosen(cpu, level, true))).containsExactly(EventType.CPU_TIME);
    }
}
