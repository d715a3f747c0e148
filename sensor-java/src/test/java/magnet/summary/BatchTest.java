// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import magnet.hotpath.BusyMachine;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordBatch;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What handlers see by the batch comes to the same as what they see record by record. */
final class BatchTest {
    private static final int CPUS = 4;
    private static final int BATCHES = 60;
    private static final int LONGEST = 2_000;
    private static final int SPACING_NANOS = 2_000;
    private static final int HEADER = RecordLayout.WIDE.headerSize();

    private final SummaryFixture atOnce = new SummaryFixture();
    private final SummaryFixture batched = new SummaryFixture();
    private final RecordBatch batch = new RecordBatch(RecordLayout.WIDE);
    private final RecordFlyweight record = new RecordFlyweight(RecordLayout.WIDE);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldComeToTheSameAsRecordByRecord(long seed) {
        Random random = new Random(seed);
        BusyMachine machine = new BusyMachine(seed, CPUS, SPACING_NANOS, 0);
        for (int i = 0; i < BATCHES; i++) {
            hand(machine, random);
            if (random.nextInt(4) == 0) {
                assertSame(atOnce.closeAfter(1), batched.closeAfter(1));
            }
        }
        assertThat(batched.summary.events()).isEqualTo(atOnce.summary.events()).isPositive();
        assertThat(batched.summary.eventsById()).isEqualTo(atOnce.summary.eventsById());
        assertThat(batched.summary.lostByCpu())
                .isEqualTo(atOnce.summary.lostByCpu())
                .isNotEmpty();
        assertThat(batched.summary.discards()).isEqualTo(atOnce.summary.discards());
        assertThat(batched.summary.discards().lost()).isPositive();
    }

    /** Batch after batch out of the same buffers, which are overwritten at the end. */
    private void hand(BusyMachine machine, Random random) {
        ByteBuffer[] buffers = buffers();
        int length = 1 + random.nextInt(LONGEST);
        for (int i = 0; i < length; i++) {
            int cpu = random.nextInt(CPUS);
            if (random.nextInt(500) == 0) {
                onRecord(buffers[cpu], lose(buffers[cpu], cpu, machine.timer()));
            }
            int[] before = positions(buffers);
            int logged = machine.log(buffers);
            onRecord(buffers[logged], before[logged]);
            if (batch.isFull() || random.nextInt(300) == 0) {
                handBatch();
            }
        }
        handBatch();
        for (ByteBuffer buffer : buffers) {
            for (int at = 0; at < buffer.capacity(); at += Long.BYTES) {
                buffer.putLong(at, -1);
            }
        }
    }

    private void onRecord(ByteBuffer buffer, int at) {
        atOnce.summary.onRecord(record.wrap(buffer, at));
        batch.add(RecordBatch.place(record.event(), record.cpu(), at));
        batch.reaches(record.timer());
    }

    private void handBatch() {
        batched.summary.onRecords(batch);
        batch.clear();
    }

    private static int lose(ByteBuffer buffer, int cpu, long timer) {
        int at = buffer.position();
        int size = HEADER + EventType.LOST.payload().size();
        buffer.putInt(size).putShort((short) cpu).putShort((short) EventType.LOST.id());
        buffer.putLong(0).putLong(0).putLong(timer);
        buffer.position(at + size);
        buffer.putLong(at + HEADER + Payload.LOST_COUNT_OFFSET, 7);
        return at;
    }

    private static void assertSame(MetricSnapshot atOnce, MetricSnapshot batched) {
        for (int i = 0; i < atOnce.size(); i++) {
            assertThat(batched.value(i)).as(atOnce.metric(i).name()).isEqualTo(atOnce.value(i));
            assertThat(batched.text(i)).as(atOnce.metric(i).name()).isEqualTo(atOnce.text(i));
        }
    }

    private ByteBuffer[] buffers() {
        ByteBuffer[] buffers = new ByteBuffer[CPUS];
        for (int cpu = 0; cpu < CPUS; cpu++) {
            buffers[cpu] = BusyMachine.room(LONGEST);
            batch.lookAt(cpu, buffers[cpu]);
        }
        return buffers;
    }

    private static int[] positions(ByteBuffer[] buffers) {
        int[] positions = new int[CPUS];
        for (int cpu = 0; cpu < CPUS; cpu++) {
            positions[cpu] = buffers[cpu].position();
        }
        return positions;
    }
}
