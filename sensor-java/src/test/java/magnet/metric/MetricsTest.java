// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import magnet.record.EventType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MetricsTest {
    private static final Set<MetricGroup> ALL_GROUPS = MetricGroup.onByDefault();

    @Test
    void shouldKeepTheBudgetWhenAllGroupsAreOn() {
        assertThat(Metrics.DEFAULT.stream().filter(metric -> metric.type() != ValueType.STRING))
                .hasSizeLessThanOrEqualTo(Metrics.BUDGET);
        assertThat(Metrics.DEFAULT).isEqualTo(Metrics.chosen(ALL_GROUPS, Level.SUMMARY, true));
    }

    @Test
    void shouldNameEachMetricOnceWhenListed() {
        assertThat(Metrics.ALL).extracting(Metric::name).doesNotHaveDuplicates();
        assertThat(Metrics.ALL).extracting(Metric::title).doesNotHaveDuplicates();
    }

    @Test
    void shouldHaveMetricsOfEveryGroupWhenListed() {
        assertThat(Metrics.ALL).extracting(Metric::group).hasSameElementsAs(MetricGroup.own());
    }

    @Test
    void shouldHaveAllOfTheLevelBelowWhenALevelIsHigher() {
        assertThat(Metrics.of(Level.SUMMARY)).containsAll(Metrics.of(Level.HEARTBEAT));
        assertThat(Metrics.of(Level.FULL))
                .isEqualTo(Metrics.ALL.stream()
                        .filter(metric -> metric.group() != MetricGroup.JOBS)
                        .toList());
        assertThat(Metrics.of(Level.HEARTBEAT).size()).isLessThan(Metrics.DEFAULT.size());
        assertThat(Metrics.DEFAULT.size()).isLessThan(Metrics.ALL.size());
    }

    @Test
    void shouldCostLittleWhenTheLevelIsHeartbeat() {
        assertThat(Metrics.of(Level.HEARTBEAT)).extracting(Metric::cost).containsOnly(CostClass.NONE, CostClass.LOW);
    }

    @Test
    void shouldBeDearWhenItsPointsAre() {
        assertThat(SchedulerMetrics.CONTEXT_SWITCHES.cost()).isEqualTo(CostClass.HIGH);
        assertThat(NetworkMetrics.DROPS.cost()).isEqualTo(CostClass.MEDIUM);
        assertThat(SensorMetrics.LAG.cost()).isEqualTo(CostClass.NONE);
        assertThat(CostClass.of(List.of(EventType.MARKER, EventType.SYS_ENTER, EventType.UDP_RCV)))
                .isEqualTo(CostClass.HIGH);
    }

    @Test
    void shouldNeedTheFullJourneyWhenOnlyJourneyIsOn() {
        assertThat(events(MetricGroup.JOURNEY, Level.SUMMARY))
                .containsExactlyInAnyOrder(
                        EventType.INET_SENDMSG, EventType.UDP_SENDMSG, EventType.IP_SEND_SKB, EventType.DEV_QUEUE_XMIT);
        assertThat(events(MetricGroup.SENSOR, Level.FULL)).isEmpty();
        assertThat(events(MetricGroup.SYSCALLS, Level.SUMMARY)).isEmpty();
        assertThat(events(MetricGroup.SYSCALLS, Level.FULL))
                .containsExactlyInAnyOrder(EventType.SYS_ENTER, EventType.SYS_EXIT);
    }

    @Test
    void shouldLeaveOutWhatIsJoinedByThreadWhenRecordsDoNotTellIt() {
        List<Metric> chosen = Metrics.chosen(ALL_GROUPS, Level.FULL, false);
        assertThat(chosen)
                .contains(Layer.UDP_SEND.packets(), MemoryMetrics.OOM_KILLS)
                .contains(Hop.UDP_RECEIVE_DEVICE_TO_PROGRAM.metrics().max())
                .doesNotContain(SchedulerMetrics.CONTEXT_SWITCHES, SystemCallMetrics.RATE, MemoryMetrics.STALLS)
                .doesNotContain(Hop.TCP_SEND_TCP_TO_IP.metrics().max());
    }

    @ParameterizedTest
    @EnumSource
    void shouldStackToEightWhenATimeHasBuckets(BucketedTime time) {
        assertThat(time.buckets.metrics())
                .hasSize(BucketMetrics.BUCKETS)
                .allSatisfy(metric -> assertThat(metric.name()).matches(".*_bucket[1-8]_(\\d+_to|from)_\\d+us"));
        long first = time.buckets.firstMicros();
        assertThat(time.buckets.endsNanos())
                .startsWith(1_000 * first, 4_000 * first)
                .endsWith(4_096_000 * first)
                .hasSize(7);
        assertThat(time.buckets.metrics().get(7).name()).endsWith("_bucket8_from_" + 4_096 * first + "us");
    }

    // The checker does not see that the record in it holds copies only.
    @SuppressWarnings("ImmutableEnumChecker")
    enum BucketedTime {
        UDP_SEND(JourneyMetrics.UDP_SEND_BUCKETS),
        UDP_RECEIVE(JourneyMetrics.UDP_RECEIVE_BUCKETS),
        TCP_SEND(JourneyMetrics.TCP_SEND_BUCKETS),
        TCP_RECEIVE(JourneyMetrics.TCP_RECEIVE_BUCKETS),
        UDP_INTERARRIVAL(NetworkMetrics.UDP_INTERARRIVAL_BUCKETS),
        TCP_INTERARRIVAL(NetworkMetrics.TCP_INTERARRIVAL_BUCKETS),
        TIME_SLICE(SchedulerMetrics.TIME_SLICE_BUCKETS),
        IDLE_GAP(SchedulerMetrics.IDLE_GAP_BUCKETS),
        HARD_INTERRUPT(InterruptMetrics.HARD_BUCKETS),
        BLOCK_READ(BlockMetrics.READ_BUCKETS),
        BLOCK_WRITE(BlockMetrics.WRITE_BUCKETS),
        RUN_QUEUE_WAIT(SchedulerMetrics.RUN_QUEUE_WAIT_BUCKETS),
        SOFT_INTERRUPT(InterruptMetrics.SOFT_BUCKETS),
        BLOCK(BlockMetrics.BUCKETS),
        MAJOR_FAULT(MemoryMetrics.MAJOR_FAULT_BUCKETS),
        RECLAIM(MemoryMetrics.STALL_BUCKETS),
        SYSTEM_CALL(SystemCallMetrics.BUCKETS);

        private final BucketMetrics buckets;

        BucketedTime(BucketMetrics buckets) {
            this.buckets = buckets;
        }
    }

    private static Set<EventType> events(MetricGroup group, Level level) {
        return Metrics.eventsOf(Metrics.chosen(EnumSet.of(group), level, true));
    }
}
