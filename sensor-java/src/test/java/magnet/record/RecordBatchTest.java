// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RecordBatchTest {
    private static final int HIGHEST = 0xffff;

    private final RecordBatch batch = new RecordBatch(RecordLayout.WIDE);

    @Test
    void shouldKeepAllOfAPlaceAtItsHighest() {
        long place = RecordBatch.place(HIGHEST, HIGHEST, Integer.MAX_VALUE);

        assertThat(RecordBatch.event(place)).isEqualTo(HIGHEST);
        assertThat(RecordBatch.cpu(place)).isEqualTo(HIGHEST);
        assertThat(RecordBatch.offset(place)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void shouldKeepFieldsApart() {
        assertThat(RecordBatch.cpu(RecordBatch.place(HIGHEST, 0, HIGHEST))).isZero();
        assertThat(RecordBatch.event(RecordBatch.place(0, HIGHEST, 8))).isZero();
        assertThat(RecordBatch.offset(RecordBatch.place(HIGHEST, HIGHEST, 0))).isZero();
    }

    @Test
    void shouldHandRecordsOnInTheirOrderOutOfEachCpusBuffer() {
        logs(0, 10, 30);
        logs(5, 20, 40);
        List<String> handed = new ArrayList<>();
        RecordHandler handler = record -> handed.add(record.cpu() + " " + record.timer());

        handler.onRecords(batch);
        assertThat(handed).isEmpty();
        for (int at : new int[] {0, RecordLayout.WIDE.headerSize()}) {
            batch.add(RecordBatch.place(1, 0, at));
            batch.add(RecordBatch.place(1, 5, at));
        }
        handler.onRecords(batch);

        assertThat(handed).containsExactly("0 10", "5 20", "0 30", "5 40");
    }

    @Test
    void shouldBeFullAtItsCapacityAndEmptyWhenCleared() {
        for (int i = 0; i < RecordBatch.CAPACITY; i++) {
            assertThat(batch.isFull()).isFalse();
            batch.add(i);
        }
        assertThat(batch.isFull()).isTrue();
        assertThat(batch.size()).isEqualTo(RecordBatch.CAPACITY);

        batch.clear();
        assertThat(batch.isFull()).isFalse();
        assertThat(batch.size()).isZero();
    }

    @Test
    void shouldAddSeveralPlacesAtOnce() {
        batch.add(7);
        batch.add(new long[] {1, 2, 3, 4}, 1, 2);
        assertThat(batch.size()).isEqualTo(3);
        assertThat(batch.room()).isEqualTo(RecordBatch.CAPACITY - 3);
        assertThat(new long[] {batch.place(0), batch.place(1), batch.place(2)}).containsExactly(7, 2, 3);
    }

    @ParameterizedTest
    @EnumSource(RecordLayout.class)
    void shouldMakeAPlaceOfARecordsHead(RecordLayout layout) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
        if (layout == RecordLayout.WIDE) {
            bytes.putInt(8, 40).putShort(12, (short) 5).putShort(14, (short) 0xfff0);
        } else {
            bytes.putInt(8, 40 << 16 | 0x3f0 << 6 | 5);
        }
        long head = new RecordFlyweight(layout).wrap(bytes, 8).head();
        assertThat((int) head).isEqualTo(40);
        long place = RecordBatch.place(head, 8);
        assertThat(RecordBatch.offset(place)).isEqualTo(8);
        assertThat(RecordBatch.cpu(place)).isEqualTo(5);
        assertThat(RecordBatch.event(place)).isEqualTo(layout == RecordLayout.WIDE ? 0xfff0 : 0x3f0);
    }

    private void logs(int cpu, long... timers) {
        int size = RecordLayout.WIDE.headerSize();
        ByteBuffer buffer = ByteBuffer.allocateDirect(size * timers.length).order(ByteOrder.nativeOrder());
        for (long timer : timers) {
            buffer.putInt(size).putShort((short) cpu).putShort((short) 1);
            buffer.putLong(0).putLong(0).putLong(timer);
        }
        batch.lookAt(cpu, buffer);
    }
}
