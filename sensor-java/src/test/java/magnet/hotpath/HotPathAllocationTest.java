// SPDX-License-Identifier: Apache-2.0
package magnet.hotpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import magnet.metric.JobMetrics;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.Metrics;
import magnet.summary.DiscardCounts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** From the file to the metric nothing is allocated for an event. */
@Timeout(300)
final class HotPathAllocationTest {
    private static final int WARM_UP = 256;
    private static final int ROUNDS = 1_024;
    private static final long EVENTS = (long) HotPath.BATCH * ROUNDS;
    /** What is measured costs less itself; an object for each event would be 64 MiB. */
    private static final long MOST_BYTES = 16_384;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(Level.class)
    void shouldAllocateNothingForAnEventAtAnyLevel(Level level) throws IOException {
        assertThat(allocated(Metrics.of(level), HotPath.machine()))
                .as("bytes for %d events", EVENTS)
                .isLessThan(MOST_BYTES);
    }

    private long allocated(List<Metric> metrics, BusyMachine machine) throws IOException {
        try (HotPath path = new HotPath(folder, metrics, machine)) {
            long allocated = 0;
            for (int round = 0; round < WARM_UP + ROUNDS; round++) {
                path.log();
                long before = threads.getCurrentThreadAllocatedBytes();
                int handed = path.run();
                long after = threads.getCurrentThreadAllocatedBytes();
                assertThat(handed).isEqualTo(HotPath.BATCH);
                allocated += round < WARM_UP ? 0 : after - before;
                if (round % 100 == 0) {
                    path.closeWindow();
                }
            }
            assertThat(path.summary().events()).isEqualTo(EVENTS + (long) HotPath.BATCH * WARM_UP);
            return allocated;
        }
    }

    /** Nor for one of a job that stays, but where a wait differs much from all before. */
    @Test
    void shouldAllocateNothingForAnEventOfAJob() throws IOException {
        assertThat(allocated(JobMetrics.all(), HotPath.machine().withJobs()))
                .as("bytes for %d events", EVENTS)
                .isLessThan(8 * MOST_BYTES);
    }

    /** What the figures are said to be of. */
    @Test
    void shouldHaveTwentyKindsOfEventsOfFortyBytes() throws IOException {
        try (HotPath path = new HotPath(folder, Metrics.ALL)) {
            assertThat(path.kinds()).isEqualTo(BusyMachine.KINDS);
            assertThat(path.meanSize()).isCloseTo(40, within(1.0));
            path.log();
            assertThat(path.run()).isEqualTo(HotPath.BATCH);
            assertThat(path.summary().discards())
                    .as("events that do not belong together")
                    .isEqualTo(new DiscardCounts(0, 0, 0, 0));
        }
    }
}
