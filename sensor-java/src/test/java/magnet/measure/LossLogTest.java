// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import magnet.publish.LogLines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LossLogTest {
    private static final String FIRST =
            "WARN events lost: %s; until magnet_sensor_lossy_intervals is 0 other values are"
                    + " too low. A larger buffer-size helps, or a lower level of metrics";

    private final LogLines log = new LogLines(LossLog.class);
    private final LossLog losses = new LossLog();
    private long seconds = -3;

    @AfterEach
    void tearDown() {
        log.close();
    }

    private void interval(Map<Integer, Long> lostByCpu) {
        seconds += 5;
        losses.interval(lostByCpu, TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void shouldSayNothingWhenNothingIsLost() {
        for (int i = 0; i < 100; i++) {
            interval(Map.of());
        }
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void shouldSayTheFirstAtOnceAndWhenItIsOver() {
        interval(Map.of());
        interval(Map.of(0, 10L, 3, 2L));
        assertThat(log.lines()).containsExactly(FIRST.formatted("12 (CPU 0: 10, CPU 3: 2)"));
        interval(Map.of(0, 10L, 3, 2L));
        interval(Map.of(0, 10L, 3, 5L));
        for (int i = 0; i < 11; i++) {
            interval(Map.of(0, 10L, 3, 5L));
        }
        assertThat(log.lines()).hasSize(1);
        interval(Map.of(0, 10L, 3, 5L));
        assertThat(log.lines())
                .hasSize(2)
                .element(1)
                .isEqualTo("INFO no events lost for 60 s; before that 15 (CPU 0: 10, CPU 3: 5), in 2 intervals within"
                        + " 10 s");
        interval(Map.of(0, 11L, 3, 5L));
        assertThat(log.lines()).hasSize(3).element(2).isEqualTo(FIRST.formatted("1 (CPU 0: 1)"));
    }

    @Test
    void shouldNotFloodWhenEachIntervalHasLosses() {
        for (long i = 1; i <= 720; i++) {
            interval(Map.of(1, i * 1_000_000));
        }
        assertThat(log.lines()).as("lines in an hour").hasSize(60);
        assertThat(log.lines().get(0)).isEqualTo(FIRST.formatted("1000000 (CPU 1: 1000000)"));
        assertThat(log.lines().subList(1, 60))
                .containsOnly("WARN events lost: 12000000 (CPU 1: 12000000) more, in 12 intervals since the last line");
    }
}
