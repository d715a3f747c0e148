// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import magnet.metric.Level;
import magnet.metric.MetricBound;
import magnet.metric.MetricChoice;
import magnet.metric.MetricGroup;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.ProcessMetrics;
import magnet.metric.SensorMetrics;
import magnet.publish.LogLines;
import org.junit.jupiter.api.Test;

class DetailLevelTest {
    private static final MetricBound MANY_FORKS = new MetricBound(ProcessMetrics.FORKS, true, 10);
    private static final MetricBound FEW_EVENTS = new MetricBound(SensorMetrics.EVENTS, false, 1);

    private final DetailLevel level = new DetailLevel(choice(Level.HEARTBEAT, MANY_FORKS, FEW_EVENTS));

    @Test
    void shouldStayRaisedForAWhileWhenABoundWasCrossed() {
        try (LogLines log = new LogLines(DetailLevel.class)) {
            look(0, 10, 5);
            assertThat(level.level()).as("at the bound").isEqualTo(Level.HEARTBEAT);
            look(5, 11, 5);
            assertThat(level.level()).isEqualTo(Level.FULL);
            look(10, 12, 5);
            look(60, 0, 5);
            assertThat(level.level()).as("counts from the last time").isEqualTo(Level.FULL);
            look(70, 0, 5);
            assertThat(level.level()).isEqualTo(Level.HEARTBEAT);
            assertThat(log.lines())
                    .containsExactly(
                            "INFO magnet_process_forks_rate > 10.0: level full for 60 s",
                            "INFO back to level heartbeat");
        }
    }

    @Test
    void shouldSayThatItRaisesTheLevelOnceUntilItIsBack() {
        assertThat(look(0, 10, 5)).isFalse();
        assertThat(look(5, 11, 5)).isTrue();
        assertThat(look(10, 12, 5)).as("still raised").isFalse();
        assertThat(look(70, 0, 5)).as("back").isFalse();
        assertThat(look(75, 11, 5)).isTrue();
    }

    @Test
    void shouldRaiseWhenTheOtherConditionHolds() {
        look(0, 0, 0.5);
        assertThat(level.level()).isEqualTo(Level.FULL);
    }

    @Test
    void shouldGoByTheNewChoiceWhenTheConfigurationChanges() {
        look(0, 100, 5);
        level.use(choice(Level.SUMMARY));
        assertThat(level.level()).isEqualTo(Level.SUMMARY);
        look(5, 100, 5);
        assertThat(level.level()).isEqualTo(Level.SUMMARY);
    }

    @Test
    void shouldNotHoldWhenTheMetricIsNotPublished() {
        MetricSnapshot snapshot =
                MetricSnapshot.of(Instant.EPOCH, 25, List.of(SensorMetrics.LAG)).build();
        assertThat(FEW_EVENTS.holds(snapshot, false)).isFalse();
        assertThat(FEW_EVENTS.holds(snapshot, true)).isFalse();
    }

    @Test
    void shouldNotBelieveWhatIsLowBecauseEventsWereLost() {
        look(0, 0, 0.5, 1);
        assertThat(level.level()).as("too few events, but some were lost").isEqualTo(Level.HEARTBEAT);
        look(5, 11, 5, 1);
        assertThat(level.level()).as("there were more at least").isEqualTo(Level.FULL);
        look(65, 0, 5, 1);
        look(70, 0, 5, 1);
        assertThat(level.level()).as("perhaps there are still more").isEqualTo(Level.FULL);
        look(129, 0, 5, 0);
        assertThat(level.level()).as("counts from then").isEqualTo(Level.FULL);
        look(130, 0, 5, 1);
        assertThat(level.level()).as("it was back before").isEqualTo(Level.HEARTBEAT);
    }

    private boolean look(int second, double forks, double events) {
        return look(second, forks, events, 0);
    }

    private boolean look(int second, double forks, double events, int lossy) {
        MetricSnapshot snapshot = MetricSnapshot.of(Instant.EPOCH, 25, Metrics.of(Level.HEARTBEAT))
                .put(ProcessMetrics.FORKS, forks)
                .put(SensorMetrics.EVENTS, events)
                .put(SensorMetrics.LOSSY, lossy)
                .build();
        return level.look(snapshot, TimeUnit.SECONDS.toNanos(second));
    }

    private static MetricChoice choice(Level level, MetricBound... conditions) {
        return new MetricChoice(MetricGroup.own(), level, List.of(conditions), Level.FULL, Duration.ofSeconds(60));
    }
}
