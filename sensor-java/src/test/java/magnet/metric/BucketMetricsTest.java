// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What people read of a bucket, and that it is the bucket that its name says. */
class BucketMetricsTest {
    private static final Pattern NAME = Pattern.compile(".*_bucket(\\d)_(?:(\\d+)_to|from)_(\\d+)us");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    @ParameterizedTest
    @CsvSource({
        "0, 1, under 1 us",
        "0, 64, under 64 us",
        "1, 4, 1 to 4 us",
        "64, 256, 64 to 256 us",
        "256, 1024, 256 us to 1 ms",
        "1024, 4096, 1 to 4 ms",
        "4096, 16384, 4 to 16 ms",
        "65536, 262144, 66 to 262 ms",
        "262144, 1048576, 262 ms to 1 s",
        "1048576, 4194304, 1 to 4 s",
    })
    void shouldSayBoundsAsPeopleDo(long from, long to, String text) {
        assertThat(BucketMetrics.boundsText(from, to)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"4096, 4 ms and more", "262144, 262 ms and more", "512, 512 us and more", "1048576, 1 s and more"})
    void shouldSayWhereTheLastBegins(long from, String text) {
        assertThat(BucketMetrics.fromText(from)).isEqualTo(text);
    }

    @Test
    void shouldHaveTitlesOfThoseBoundsWhenInTheCatalogue() {
        assertThat(SchedulerMetrics.IDLE_GAP_BUCKETS.metrics())
                .extracting(Metric::title)
                .containsExactly(
                        "Idle gap under 64 us",
                        "Idle gap 64 to 256 us",
                        "Idle gap 256 us to 1 ms",
                        "Idle gap 1 to 4 ms",
                        "Idle gap 4 to 16 ms",
                        "Idle gap 16 to 66 ms",
                        "Idle gap 66 to 262 ms",
                        "Idle gap 262 ms and more");
    }

    /** A person's rounded bounds stand in the title, the exact ones in the name and in the description. */
    @Test
    void shouldHaveNoNumberOfFourDigitsInATitleAndTheExactOnesInTheDescription() {
        List<Metric> buckets = Metrics.ALL.stream()
                .filter(metric -> metric.name().contains("_bucket"))
                .toList();
        assertThat(buckets).isNotEmpty().allSatisfy(metric -> {
            MatchResult name = NAME.matcher(metric.name()).results().findFirst().orElseThrow();
            assertThat(metric.description()).contains(name.group(3) + " us");
            assertThat(NUMBER.matcher(metric.title()).results().map(MatchResult::group))
                    .isNotEmpty()
                    .allMatch(number -> number.length() < 4);
        });
    }
}
