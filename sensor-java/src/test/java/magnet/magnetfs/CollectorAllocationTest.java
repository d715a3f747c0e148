// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.testing.Fifo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
final class CollectorAllocationTest {
    private static final int RECORDS_PER_ROUND = 500;
    private static final int ROUNDS = 400;

    @TempDir
    private Path folder;

    private long now = 1_000_000_000;
    private long sum;

    @Test
    void shouldAllocateNothingPerRecordOrRound() throws IOException {
        CollectorSettings settings =
                new CollectorSettings(64 * 1024, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofHours(1), null);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        byte[] ofFirst = batch(0);
        byte[] ofSecond = batch(1);
        try (Fifo first = Fifo.create(folder.resolve("cpu0"));
                Fifo second = Fifo.create(folder.resolve("cpu1"));
                Collector collector = Collector.open(
                        new BufferDirectory(folder),
                        RecordLayout.WIDE,
                        new ClockModel(1_000_000, 0, 0, 0),
                        record -> sum += record.timer() + record.payloadU32(4),
                        settings,
                        () -> now)) {
            long allocated = 0;
            long handed = 0;
            for (int round = 0; round < 2 * ROUNDS; round++) {
                first.write(ofFirst);
                second.write(ofSecond);
                now += 10_000_000;
                long before = threads.getCurrentThreadAllocatedBytes();
                int count = collector.doWork(0) + collector.doWork(0);
                long after = threads.getCurrentThreadAllocatedBytes();
                if (round >= ROUNDS) {
                    allocated += after - before;
                    handed += count;
                }
            }
            assertThat(handed).isEqualTo(2L * ROUNDS * RECORDS_PER_ROUND);
            assertThat(sum).isPositive();
            // The measurement itself may cost a little; one object per round would be over 6 KB.
            assertThat(allocated).as("bytes for " + handed + " records").isLessThan(16L * ROUNDS);
        }
    }

    private static byte[] batch(int cpu) {
        RecordWriter writer = new RecordWriter(RecordLayout.WIDE, 64 * 1024);
        for (int i = 0; i < RECORDS_PER_ROUND; i++) {
            writer.record(EventType.SCHED_SWITCH, cpu, 1, 2, 3, i, 0, 4);
        }
        return writer.bytes();
    }
}
