// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RecordCursorTest {
    private final RecordWriter writer = new RecordWriter();
    private final RecordCursor cursor = new RecordCursor(RecordLayout.WIDE);

    @Test
    void shouldEndAtOnceWhenTheBatchIsEmpty() {
        assertThat(cursor.next()).isFalse();
        assertThat(cursor.end()).isEqualTo(Validity.VALID);
    }

    @Test
    void shouldStepOverUnknownEventsBySize() {
        writer.record(EventType.SCHED_SWITCH, 0, 10, 11, 12, 100, 1, 12)
                .unknown(0x2f0, 0, 101, 1, 2, 3)
                .unknown(0xfff0, 0, 102)
                .record(EventType.SCHED_WAKEUP, 0, 10, 11, 12, 103, 1, 12);
        List<Integer> events = new ArrayList<>();

        int count = cursor.wrap(writer.buffer(), 0, writer.size()).forEach(record -> events.add(record.event()));

        assertThat(count).isEqualTo(4);
        assertThat(events).containsExactly(EventType.SCHED_SWITCH.id(), 0x2f0, 0xfff0, EventType.SCHED_WAKEUP.id());
        assertThat(cursor.end()).isEqualTo(Validity.VALID);
        assertThat(cursor.offset()).isEqualTo(writer.size());
    }

    @Test
    void shouldStopBeforeATruncatedRecordAndGoOnWhenTheRestIsThere() {
        writer.record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, 100);
        int second = writer.size();
        writer.record(EventType.SCHED_WAKEUP, 0, 1, 1, 3, 101, 0, 1);

        cursor.wrap(writer.buffer(), 0, writer.size() - 1);
        assertThat(cursor.forEach(record -> {})).isEqualTo(1);
        assertThat(cursor.end()).isEqualTo(Validity.TRUNCATED);
        assertThat(cursor.offset()).isEqualTo(second);
        assertThat(cursor.next()).isFalse();

        assertThat(cursor.wrap(writer.buffer(), second, writer.size()).next()).isTrue();
        assertThat(cursor.record().timer()).isEqualTo(101);
    }

    @Test
    void shouldStopAtACorruptRecord() {
        writer.record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, 100);
        int bad = writer.size();
        writer.header(12, 0, 1, 1, 1, 1, 1);
        cursor.wrap(writer.buffer(), 0, writer.size());
        assertThat(cursor.forEach(record -> {})).isEqualTo(1);
        assertThat(cursor.end()).isEqualTo(Validity.CORRUPT);
        assertThat(cursor.offset()).isEqualTo(bad);
    }

    @Test
    void shouldRefuseARangeOutsideTheBatch() {
        assertThatThrownBy(() -> cursor.wrap(writer.buffer(), 0, writer.buffer().capacity() + 1))
                .hasMessageContaining("capacity=");
        assertThatThrownBy(() -> cursor.wrap(writer.buffer(), 8, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> cursor.wrap(writer.buffer(), -8, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadBackWhateverWasWritten(RecordLayout layout) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        RecordWriter many = new RecordWriter(layout, 1 << 20);
        List<String> written = new ArrayList<>();
        EventType[] types = EventType.values();
        for (int i = 0; i < 5_000; i++) {
            EventType type = types[random.nextInt(types.length)];
            int cpu = random.nextInt(64);
            int tgid = random.nextInt(1 << 22);
            long id = random.nextLong();
            many.record(type, cpu, tgid, tgid + 1, id, i);
            written.add(type + " " + cpu + " " + tgid + " " + id + " " + i);
        }
        List<String> read = new ArrayList<>();
        new RecordCursor(layout)
                .wrap(many.buffer(), 0, many.size())
                .forEach(record -> read.add(EventType.ofId(record.event()) + " " + record.cpu() + " " + record.tgid()
                        + " " + record.abstractId() + " " + record.timer()));
        assertThat(read).as("seed=" + seed).isEqualTo(written);
    }
}
