// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PublishScheduleTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void shouldBeginSoonAndKeepTheGridWhenTimePasses() {
        PublishSchedule schedule = new PublishSchedule(7 * SECOND, 5 * SECOND);
        List<Long> taken = new ArrayList<>();
        for (long now = 7 * SECOND; now <= 30 * SECOND; now += SECOND / 10) {
            if (schedule.take(now)) {
                taken.add((now - 7 * SECOND) / (SECOND / 10));
            }
        }
        assertThat(taken).containsExactly(5L, 50L, 100L, 150L, 200L);
    }

    @Test
    void shouldNotMakeUpWhenTheMachineStoodStill() {
        PublishSchedule schedule = new PublishSchedule(0, 5 * SECOND);
        assertThat(schedule.take(23 * SECOND)).isTrue();
        assertThat(schedule.take(24 * SECOND)).isFalse();
        assertThat(schedule.take(25 * SECOND)).isTrue();
    }

    @Test
    void shouldRoundUpWhenWaiting() {
        PublishSchedule schedule = new PublishSchedule(0, 5 * SECOND);
        assertThat(schedule.waitMillis(0)).isEqualTo(500);
        assertThat(schedule.waitMillis(SECOND / 2 - 1)).isEqualTo(1);
        assertThat(schedule.waitMillis(3 * SECOND)).isZero();
        schedule.take(SECOND);
        assertThat(schedule.waitMillis(SECOND)).isEqualTo(4_000);
    }

    @Test
    void shouldWaitAnIntervalOnlyWhenItIsAsShortAsTheFirst() {
        PublishSchedule schedule = new PublishSchedule(0, SECOND / 4);
        assertThat(schedule.take(SECOND / 4)).isTrue();
        assertThat(schedule.waitMillis(SECOND / 4)).isEqualTo(250);
    }
}
