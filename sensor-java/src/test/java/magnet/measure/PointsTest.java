// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import magnet.control.HitCounts;
import magnet.metric.InterruptMetrics;
import magnet.metric.JobMetrics;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.MetricChoice;
import magnet.metric.MetricGroup;
import magnet.metric.Metrics;
import magnet.metric.Replacement;
import magnet.publish.LogLines;
import magnet.record.EventType;
import magnet.service.FakeKernel;
import org.junit.jupiter.api.Test;

class PointsTest {
    private final FakeKernel kernel = new FakeKernel();
    private final Points points = new Points(kernel, () -> {});

    @Test
    void shouldSubscribeEndsFirstAndEndThemLastWhenIntervalsHaveTwo() throws IOException {
        points.use(interrupts());
        assertThat(kernel.log)
                .containsExactly("+irq_handler_exit", "+softirq_exit", "+irq_handler_entry", "+softirq_entry");
        kernel.log.clear();
        points.unsubscribe();
        assertThat(kernel.log)
                .containsExactly("-softirq_entry", "-irq_handler_entry", "-softirq_exit", "-irq_handler_exit");
        assertThat(points.finalCounters()).hasSize(4);
        assertThat(points.subscribed()).isEmpty();
    }

    /** A wait that begins unseen by who tells of its end would seem to last until the thread's next one is over. */
    @Test
    void shouldSubscribeSwitchesBeforeWakeups() throws IOException {
        points.use(chosen(MetricGroup.SCHEDULER, Level.FULL));
        assertThat(kernel.log).containsSubsequence("+sched_switch", "+sched_wakeup");
        points.unsubscribe();
        assertThat(kernel.log).containsSubsequence("-sched_wakeup", "-sched_switch");
    }

    @Test
    void shouldEndWhatIsOfNoUseWhenTheOtherHalfIsMissing() throws IOException {
        kernel.missing.put("softirq_exit", "none of the functions");
        List<Metric> metrics = points.use(interrupts());
        assertThat(metrics)
                .contains(InterruptMetrics.HARD_HANDLER.max())
                .doesNotContain(InterruptMetrics.SOFT_HANDLER.max());
        assertThat(points.subscribed())
                .containsExactlyInAnyOrder(EventType.IRQ_HANDLER_ENTRY, EventType.IRQ_HANDLER_EXIT);
        assertThat(points.failed()).isEqualTo(Map.of("softirq_exit", "none of the functions"));
    }

    /** Whoever asks anew for some must not forget that others are not to be had. */
    @Test
    void shouldSubscribeAnewInTheirOrderAndKeepWhatFailed() throws IOException {
        kernel.missing.put("softirq_exit", "none of the functions");
        List<Metric> metrics = new ArrayList<>(JobMetrics.all());
        metrics.addAll(interrupts());
        points.use(metrics);
        kernel.log.clear();

        points.repeat(List.of(EventType.CGROUP_MKDIR, EventType.TASK_ATTACH));

        assertThat(kernel.log).containsExactly("-cgroup_mkdir", "-task_attach", "+cgroup_mkdir", "+task_attach");
        assertThat(points.subscribed()).contains(EventType.CGROUP_MKDIR, EventType.TASK_ATTACH, EventType.SCHED_SWITCH);
        assertThat(points.failed()).isEqualTo(Map.of("softirq_exit", "none of the functions"));

        kernel.missing.put("task_attach", "gone");
        points.repeat(List.of(EventType.CGROUP_MKDIR, EventType.TASK_ATTACH));

        assertThat(points.failed()).containsOnlyKeys("softirq_exit", "task_attach");
    }

    @Test
    void shouldNeedNoPointWhenEveryGroupIsOff() throws IOException {
        List<Metric> metrics = new ArrayList<>(points.use(chosen(MetricGroup.SENSOR, Level.FULL)));
        assertThat(kernel.log).isEmpty();
        assertThat(metrics).isNotEmpty().extracting(Metric::group).containsOnly(MetricGroup.SENSOR);
    }

    @Test
    void shouldChangeOnlyWhatDiffersWhenTheLevelDoes() throws IOException {
        points.use(chosen(MetricGroup.PROCESSES, Level.HEARTBEAT));
        kernel.log.clear();
        points.use(chosen(MetricGroup.SCHEDULER, Level.SUMMARY));
        assertThat(kernel.log)
                .containsExactlyInAnyOrder(
                        "-sched_process_exit",
                        "-sched_process_exec",
                        "-sched_process_fork",
                        "+sched_switch",
                        "+sched_wakeup");
        kernel.log.clear();
        points.use(chosen(MetricGroup.SCHEDULER, Level.FULL));
        assertThat(kernel.log).containsExactly("+sched_migrate_task");
        kernel.log.clear();
        points.use(chosen(MetricGroup.SCHEDULER, Level.SUMMARY));
        assertThat(kernel.log).containsExactly("-sched_migrate_task");
    }

    @Test
    void shouldSayOnceThatAPointIsMissingWhenTheLevelComesAndGoes() throws IOException {
        kernel.missing.put("sched_migrate_task", "no such point");
        kernel.gaps.put("sched_switch", "a part of it");
        try (LogLines log = new LogLines(Points.class)) {
            for (int i = 0; i < 3; i++) {
                points.use(chosen(MetricGroup.SCHEDULER, Level.FULL));
                assertThat(points.failed()).containsOnlyKeys("sched_migrate_task");
                points.use(chosen(MetricGroup.SENSOR, Level.FULL));
            }
            assertThat(log.lines())
                    .containsExactly(
                            "WARN running without 1 of 3 points and the metrics that need them:"
                                    + " {sched_migrate_task=no such point}",
                            "WARN points that see only a part, because this kernel lacks functions: sched_switch (a"
                                    + " part of it)");
            kernel.missing.put("sched_migrate_task", "another reason");
            points.use(chosen(MetricGroup.SCHEDULER, Level.FULL));
            assertThat(log.lines()).hasSize(3).last().asString().contains("another reason");
        }
    }

    @Test
    void shouldAddUpFinalCountersWhenAPointWasOnMoreThanOnce() throws IOException {
        points.use(chosen(MetricGroup.PROCESSES, Level.HEARTBEAT));
        kernel.exec(7);
        points.use(chosen(MetricGroup.SENSOR, Level.HEARTBEAT));
        points.use(chosen(MetricGroup.PROCESSES, Level.HEARTBEAT));
        points.unsubscribe();
        assertThat(points.finalCounters().get(EventType.SCHED_PROCESS_EXEC))
                .containsExactly(new HitCounts(0, 14, 14, 0, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void shouldSubscribeWhatReplacementsNeedWhileTheyAreOnAndOnlyThen() throws IOException {
        points.use(replacing());
        assertThat(kernel.log).isEmpty();
        points.use(replacing(Replacement.CPU, Replacement.NETWORK));
        assertThat(kernel.log).containsExactlyInAnyOrder("+cpu_time", "+net_dev_receive", "+net_dev_xmit");
        kernel.log.clear();
        points.use(replacing(Replacement.CPU_INTERRUPTS));
        assertThat(kernel.log).containsExactlyInAnyOrder("-net_dev_receive", "-net_dev_xmit");
        kernel.log.clear();
        points.use(replacing());
        assertThat(kernel.log).containsExactly("-cpu_time");
    }

    @Test
    void shouldAddUpWhatProbesMissedAndAskOnlyWhereTheyMay() throws IOException {
        points.use(chosen(MetricGroup.MEMORY, Level.HEARTBEAT));
        kernel.missed = OptionalLong.of(9);
        assertThat(points.missed()).as("no point that may miss").isZero();
        points.use(chosen(MetricGroup.MEMORY, Level.FULL));
        assertThat(points.missed()).isEqualTo(9);
        kernel.missed = OptionalLong.empty();
        assertThat(points.missed()).as("what cannot be asked stays").isEqualTo(9);
        kernel.missed = OptionalLong.of(11);
        points.use(chosen(MetricGroup.SENSOR, Level.FULL));
        assertThat(points.missed()).as("final counters").isEqualTo(11);
        points.use(chosen(MetricGroup.MEMORY, Level.FULL));
        kernel.missed = OptionalLong.of(2);
        assertThat(points.missed()).isEqualTo(13);
    }

    private static List<Metric> replacing(Replacement... replacements) {
        return Metrics.chosen(
                new MetricChoice(
                        EnumSet.of(MetricGroup.SENSOR),
                        Level.HEARTBEAT,
                        List.of(),
                        Level.FULL,
                        Duration.ofSeconds(1),
                        Set.of(replacements)),
                Level.HEARTBEAT,
                true);
    }

    private static List<Metric> interrupts() {
        return chosen(MetricGroup.INTERRUPTS, Level.SUMMARY);
    }

    private static List<Metric> chosen(MetricGroup group, Level level) {
        return Metrics.chosen(EnumSet.of(group), level, true);
    }
}
