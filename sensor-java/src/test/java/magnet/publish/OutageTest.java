// SPDX-License-Identifier: Apache-2.0
package magnet.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class OutageTest {
    private static final String BEGAN = "WARN peer: away (said once, counted from now on)";

    private final AtomicLong nowNanos = new AtomicLong(TimeUnit.DAYS.toNanos(-1));
    private final LogLines log = new LogLines(OutageTest.class);
    private final Outage outage = new Outage(LoggerFactory.getLogger(OutageTest.class), "peer", nowNanos::get);

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void shouldSayNothingWhenNothingFails() {
        for (int i = 0; i < 100; i++) {
            outage.worked();
            pass(5);
        }
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void shouldTakeTwoLinesWhenAnOutageLastsAnHour() {
        for (int second = 0; second < 3_600; second += 5) {
            outage.failed("away");
            pass(5);
        }
        for (int second = 0; second < 120; second += 5) {
            outage.worked();
            pass(5);
        }
        assertThat(log.lines()).containsExactly(BEGAN, "INFO peer: works again, after 720 errors in 3595 s");
    }

    @Test
    void shouldBeOneOutageWhenItComesAndGoes() {
        for (int i = 0; i < 100; i++) {
            outage.failed(i % 2 == 0 ? "away" : "busy");
            pass(29);
            outage.worked();
        }
        assertThat(log.lines()).containsExactly(BEGAN, "WARN peer: busy (said once, counted from now on)");
    }

    @Test
    void shouldSayItAgainWhenTheNextOutageBegins() {
        outage.failed("away");
        pass(30);
        outage.worked();
        outage.failed("away");
        assertThat(log.lines()).containsExactly(BEGAN, "INFO peer: works again, after 1 errors in 0 s", BEGAN);
    }

    private void pass(int seconds) {
        nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }
}
