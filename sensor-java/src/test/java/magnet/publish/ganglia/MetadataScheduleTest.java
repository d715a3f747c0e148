// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetadataScheduleTest {

    @ParameterizedTest
    @CsvSource({
        "0, 600, 5, 60",
        "30, 600, 5, 30",
        "300, 600, 5, 60",
        "0, 60, 5, 30",
        "0, 600, 20, 60",
        "1, 600, 5, 5",
    })
    void shouldNeverBeLongerApartThanTheIntervalWhenTimePasses(int configured, int dmax, int publish, int longest) {
        MetadataSchedule schedule = new MetadataSchedule(configured, dmax, publish);
        List<Integer> times = new ArrayList<>();
        for (int second = 0; second < 1_000; second += publish) {
            if (take(schedule, second)) {
                times.add(second);
            }
        }
        assertThat(times).startsWith(0, publish, 2 * publish);
        int gap = 0;
        for (int i = 1; i < times.size(); i++) {
            gap = Math.max(gap, times.get(i) - times.get(i - 1));
        }
        assertThat(gap).isLessThanOrEqualTo(longest).isGreaterThan(longest - 2 * publish);
    }

    @Test
    void shouldComeNextWhenWanted() {
        MetadataSchedule schedule = new MetadataSchedule(0, 600, 5);
        for (int second = 0; second <= 20; second += 5) {
            take(schedule, second);
        }
        schedule.want();
        assertThat(take(schedule, 25)).isTrue();
        assertThat(take(schedule, 30)).isFalse();
    }

    @Test
    void shouldComeWithTheFirstSnapshotsThatHaveAMetric() {
        MetadataSchedule schedule = new MetadataSchedule(0, 600, 5);
        for (int second = 0; second <= 20; second += 5) {
            take(schedule, second);
        }
        for (int second = 25; second <= 45; second += 5) {
            assertThat(take(schedule, second)).isFalse();
            assertThat(schedule.take("later")).isEqualTo(second <= 35);
        }
    }

    @Test
    void shouldComeAgainWhenAMetricHadGone() {
        MetadataSchedule schedule = new MetadataSchedule(0, 600, 5);
        for (int second = 0; second <= 20; second += 5) {
            take(schedule, second);
        }
        schedule.begin(TimeUnit.SECONDS.toNanos(25));
        assertThat(take(schedule, 30)).isTrue();
    }

    private static boolean take(MetadataSchedule schedule, int second) {
        schedule.begin(TimeUnit.SECONDS.toNanos(second));
        return schedule.take("metric");
    }
}
