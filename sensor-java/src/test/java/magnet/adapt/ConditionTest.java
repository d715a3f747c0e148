// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import magnet.metric.JobColumn;
import magnet.metric.JobTable;
import magnet.metric.Metric;
import magnet.metric.MetricGroup;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.ValueType;
import magnet.record.EventType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConditionTest {
    private static final String DROPS = "magnet_net_drops_rate";
    private static final long SECOND = 1_000_000_000;

    /**
     * Whether it holds after each of these values, a second apart; {@code !} marks one that may be too low, {@code ?} is one that is
     * not known.
     */
    private static String after(Condition condition, String values) {
        ConditionWatch watch = new ConditionWatch(condition);
        List<String> states = new ArrayList<>();
        long now = Long.MAX_VALUE - 2 * SECOND; // The clock may be anywhere.
        for (String each : values.split(" ", -1)) {
            boolean before = watch.holds();
            boolean lossy = each.endsWith("!");
            if (each.equals("?")) {
                watch.lookAway(now);
                assertThat(watch.holds()).isEqualTo(before);
            } else {
                boolean changed = watch.look(Double.parseDouble(each.replace("!", "")), lossy, now);
                assertThat(changed).isEqualTo(before != watch.holds());
            }
            states.add(watch.holds() ? "1" : "0");
            now += SECOND;
        }
        return String.join(" ", states);
    }

    @Test
    void shouldHoldWhileTheValueIsBeyondTheBound() {
        assertThat(after(Condition.when(DROPS + " > 100"), "0 100 101 100 99 101"))
                .isEqualTo("0 0 1 0 0 1");
        assertThat(after(Condition.when(DROPS + " < -1.5"), "0 -1.5 -1.6 -1.5 -9"))
                .isEqualTo("0 0 1 0 1");
        assertThat(after(Condition.when(DROPS + ">0"), "0 0.1 0")).isEqualTo("0 1 0");
    }

    @Test
    void shouldEndOnlyBeyondTheBoundToLeave() {
        assertThat(after(Condition.when(DROPS + " > 100").until(DROPS + " < 20"), "99 101 50 20 19 50 101"))
                .isEqualTo("0 1 1 1 0 0 1");
        assertThat(after(Condition.when(DROPS + " < 5").until(DROPS + " > 9"), "6 4 6 9 10 6 4"))
                .isEqualTo("0 1 1 1 0 0 1");
    }

    @Test
    void shouldHoldOnUntilAllOfTheTimeWasBack() {
        Condition condition = Condition.when(DROPS + " > 100").hold(Duration.ofSeconds(2));
        assertThat(after(condition, "101 0 0 0")).isEqualTo("1 1 0 0");
        assertThat(after(condition, "101 0 101 0 0 101")).isEqualTo("1 1 1 1 0 1");
        assertThat(after(condition.until(DROPS + " < 20"), "101 0 50 0 0")).isEqualTo("1 1 1 1 0");
    }

    @Test
    void shouldNotBelieveWhatIsLowBecauseEventsWereLost() {
        assertThat(after(Condition.when(DROPS + " > 100"), "101! 0! 0! 0")).isEqualTo("1 1 1 0");
        assertThat(after(Condition.when(DROPS + " < 5"), "0! 4! 4 9!")).isEqualTo("0 0 1 0");
        assertThat(after(Condition.when(DROPS + " > 100").hold(Duration.ofSeconds(2)), "101 0 0! 0 0"))
                .as("what is not known does not count as back")
                .isEqualTo("1 1 1 1 0");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            magnet_net_drops_rate             | a condition is METRIC > NUMBER
            magnet_net_drops_rate > much      | a condition is METRIC > NUMBER
            magnet_net_drops_rate >= 1        | a condition is METRIC > NUMBER
            magnet_net_drops_rate > 1e3       | a condition is METRIC > NUMBER
            magnet_net_drop_rate > 1          | no metric 'magnet_net_drop_rate'; did you mean 'magnet_net_drops_rate'?
            load > 1                          | docs/metrics.md lists them
            magnet_sensor_lag_max > 1         | about the sensor itself
            job:slurm:1 wait_percnt > 1       | jobs have no metric 'wait_percnt'; did you mean 'wait_percent'?
            job:slurm:1 load > 1              | they have cpu_percent, wait_percent,
            job:slurm:1 > 1                   | a condition is METRIC > NUMBER
            """)
    void shouldSayWhatIsWrong(String text, String complaint) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Condition.when(text))
                .withMessageContaining(complaint)
                .withMessageNotContaining("\n");
    }

    @ParameterizedTest
    @CsvSource({
        "magnet_net_drops_rate > 1",
        "magnet_net_drops_rate < 101",
        "magnet_net_drops_queue_rate < 1",
        "magnet_net_drops_rate",
        "job:slurm:1 wait_percent < 1",
    })
    void shouldRefuseWhatDoesNotEndIt(String text) {
        Condition condition = Condition.when(DROPS + " > 100");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> condition.until(text))
                .withMessageContaining("METRIC < NUMBER".substring(text.equals(DROPS) ? 0 : 7));
        assertThatIllegalArgumentException().isThrownBy(() -> condition.hold(Duration.ofNanos(-1)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT-1S", "PT8761H", "PT2562047788015215H"})
    void shouldRefuseTimesToHoldThatCannotBe(String time) {
        assertThatThrownBy(() -> Condition.when(DROPS + " > 1").hold(Duration.parse(time)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("365 days");
    }

    @Test
    void shouldTakeEveryNumberOfTheCatalogue() {
        for (Metric metric : Metrics.ALL) {
            if (metric.type() == ValueType.STRING) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> Condition.when(metric.name() + " > 1"))
                        .withMessageContaining("no number");
            } else if (metric.group() != MetricGroup.SENSOR) {
                assertThat(Condition.when(metric.name() + " > 1").known()).isEqualTo(metric);
                assertThat(metric.events()).as(metric.name()).isNotEmpty();
            }
        }
        assertThat(Condition.when("bytes_in > 1").unit()).isEqualTo("bytes/sec");
    }

    @Test
    void shouldLookAtOneJobWhenItNamesOne() {
        Condition condition =
                Condition.when("job:slurm:4711 wait_percent > 20").until("job:slurm:4711 wait_percent < 5");
        assertThat(condition.toString()).isEqualTo("job:slurm:4711 wait_percent > 20");
        assertThat(condition.metric()).isEqualTo("job:slurm:4711 wait_percent");
        assertThat(condition.unit()).isEqualTo("%");
        assertThat(condition.isOfJob()).isTrue();
        assertThat(condition.known().events()).contains(EventType.SCHED_WAKEUP, EventType.TASK_ATTACH);
        double[] values = new double[JobColumn.values().length];
        values[JobColumn.WAIT.index()] = 38;
        MetricSnapshot snapshot = MetricSnapshot.of(Instant.EPOCH, 1, List.of(condition.known()))
                .putJobs(new JobTable(List.of(new JobTable.Row("slurm:4711", values, List.of()))))
                .build();
        assertThat(condition.in(snapshot)).hasValue(38);
        assertThat(Condition.when("job:slurm:4712 wait_percent > 20").in(snapshot))
                .hasValue(0);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> condition.until("job:slurm:4712 wait_percent < 5"))
                .withMessageContaining("it wants job:slurm:4711 wait_percent < NUMBER");
    }

    @Test
    void shouldNotKnowTheValueWhenAJobMayBeOneOfTheOthers() {
        Condition condition = Condition.when("job:slurm:4711 cpu_percent < 1");
        double[] values = new double[JobColumn.values().length];
        values[JobColumn.CPU.index()] = 38;
        JobTable.Row rest = new JobTable.Row(JobTable.REST, new double[0], List.of());
        MetricSnapshot among = MetricSnapshot.of(Instant.EPOCH, 1, List.of(condition.known()))
                .putJobs(new JobTable(List.of(rest)))
                .build();
        MetricSnapshot apart = MetricSnapshot.of(Instant.EPOCH, 1, List.of(condition.known()))
                .putJobs(new JobTable(List.of(new JobTable.Row("slurm:4711", values, List.of()), rest)))
                .build();
        assertThat(condition.in(among)).isEmpty();
        assertThat(condition.in(apart)).hasValue(38);
    }

    @Test
    void shouldNeitherBeginNorEndWhenTheValueIsNotKnown() {
        assertThat(after(Condition.when(DROPS + " < 5"), "? 9 ? 4 ? 9")).isEqualTo("0 0 0 1 1 0");
        assertThat(after(Condition.when(DROPS + " > 100").hold(Duration.ofSeconds(2)), "101 0 ? 0 0"))
                .as("it does not count as back")
                .isEqualTo("1 1 1 1 0");
    }

    @Test
    void shouldBeEqualWhereItSaysTheSame() {
        Condition condition = Condition.when(DROPS + " > 100");
        assertThat(Condition.when(" " + DROPS + ">100.0 ")).isEqualTo(condition).hasSameHashCodeAs(condition);
        assertThat(condition)
                .hasToString(DROPS + " > 100")
                .isNotEqualTo(Condition.when(DROPS + " < 100"))
                .isNotEqualTo(condition.until(DROPS + " < 1"))
                .isNotEqualTo(condition.hold(Duration.ofSeconds(1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new AdaptationPlan(List.of(condition, Condition.when(DROPS + " > 100")), Duration.ofSeconds(1)))
                .withMessageContaining("twice");
        assertThatIllegalArgumentException().isThrownBy(() -> new AdaptationPlan(List.of(), Duration.ofSeconds(1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AdaptationPlan(List.of(condition), Duration.ofMillis(99)));
    }
}
