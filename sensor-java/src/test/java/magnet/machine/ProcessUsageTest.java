// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProcessUsageTest {
    private static final String STAT = "4711 (a) b (c) S 1 4711 4711 0 -1 4194304 5000 0 0 0 123 45 0 0 20 0 17 0 100 "
            + "3000000 9999 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0";
    private static final String STATUS = "Name:\ta) b (c\nVmPeak:\t  99999 kB\nVmRSS:\t   61440 kB\nThreads:\t17\n";

    @Test
    void shouldReadTimesAndMemoryWhenTheNameIsOdd() {
        assertThat(ProcessUsage.parse(STAT, STATUS)).isEqualTo(new ProcessUsage(1_680_000_000L, 60L << 20));
    }

    @Test
    void shouldFindSomethingWhenAskedOfThisProcess() {
        ProcessUsage usage = ProcessUsage.now().orElseThrow();
        assertThat(usage.cpuNanos()).isPositive();
        assertThat(usage.residentBytes()).isGreaterThan(10L << 20);
    }

    @Test
    void shouldSayBetweenWhichInstantsItWasAsked() {
        AtomicLong clock = new AtomicLong();
        ProcessUsage.Timed usage =
                ProcessUsage.Timed.now(() -> clock.addAndGet(7)).orElseThrow();
        assertThat(usage.beforeNanos()).isEqualTo(7);
        assertThat(usage.afterNanos()).isEqualTo(14);
    }
}
