// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import static org.assertj.core.api.Assertions.assertThat;

import magnet.control.HitCounts;
import org.junit.jupiter.api.Test;

/** What commands say behind their account. */
final class AdviceTest {
    private static final long SECOND = 1_000_000_000;

    private static HitCounts lost(long full, long big, long recursion, long storm, long missed) {
        return new HitCounts(HitCounts.ALL_CPUS, 1_000, 900, 0, 0, full, big, recursion, storm, missed);
    }

    @Test
    void shouldNameARemedyForEachCauseOfLosses() {
        assertThat(LossAdvice.of(HitCounts.NONE, 262_144)).isEmpty();
        assertThat(LossAdvice.of(lost(7, 0, 0, 0, 0), 262_144))
                .hasValue(
                        "of the lost 7 found the buffer full (use more than --buffer-size 256K, fewer points, or a rule"
                                + " that drops what is not wanted)");
        assertThat(LossAdvice.of(lost(0, 1, 2, 3, 4), 3L << 20))
                .hasValue("of the lost 1 was too large for a record (use a smaller --snap)"
                                .replace(
                                        "1 was too",
                                        "3 were refused by a storm guard (magnet points lists guards), 1 was too")
                        + ", 2 came inside a handler of their own kind, where none can be logged, 4 were missed by the"
                        + " kernel's probes (use fewer points)");
    }

    @Test
    void shouldAdviseNotSelfWhereItHelps() {
        assertThat(LossAdvice.ofOwn(true, 100, 1_000)).get().asString().contains("100 of the events", "--not-self");
        assertThat(LossAdvice.ofOwn(true, 99, 1_000)).isEmpty();
        assertThat(LossAdvice.ofOwn(false, 1_000, 1_000)).as("nothing was lost").isEmpty();
        assertThat(LossAdvice.ofOwn(true, 0, 0)).isEmpty();
    }

    @Test
    void shouldSayThatEventsAreOfALongerTimeThanWasAskedFor() {
        assertThat(Overtime.of(5, 7_300_000_000L, 120))
                .hasValue("events are of 7.3 s, 2.3 s more than asked for: it takes so long to switch 120 points on and"
                        + " off");
        assertThat(Overtime.of(0.2, 650_000_000L, 1))
                .as("less than half a second")
                .isEmpty();
        assertThat(Overtime.of(0.2, 800_000_000L, 1)).get().asString().contains("1 point on");
        assertThat(Overtime.of(60, 65 * SECOND, 3)).as("less than a tenth").isEmpty();
        assertThat(Overtime.of(Double.POSITIVE_INFINITY, 100 * SECOND, 3)).isEmpty();
    }

    @Test
    void shouldCountAsPeopleDo() {
        assertThat(Counted.of(0, "warning")).isEqualTo("0 warnings");
        assertThat(Counted.of(1, "warning")).isEqualTo("1 warning");
        assertThat(Counted.were(1, "event")).isEqualTo("1 event was");
        assertThat(Counted.were(2, "event")).isEqualTo("2 events were");
        assertThat(Counted.are(1)).isEqualTo("is");
        assertThat(Counted.are(0)).isEqualTo("are");
    }
}
