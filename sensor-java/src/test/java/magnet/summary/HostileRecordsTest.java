// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import magnet.metric.MetricSnapshot;
import magnet.metric.ValueType;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records whose fields have any value: no summary stops at them, each is counted, and what is published are numbers. */
class HostileRecordsTest {
    private static final int RECORDS = 20_000;
    private static final long[] EDGES = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 31, 1L << 32, -4_095};

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33})
    void shouldCountEachAndGoOnWhenFieldsAreAnything(long seed) {
        Random random = new Random(seed);
        SummaryFixture fixture = new SummaryFixture();
        ByteBuffer buffer = ByteBuffer.allocateDirect(128).order(ByteOrder.nativeOrder());
        RecordFlyweight record = new RecordFlyweight(RecordLayout.WIDE);
        EventType[] types = EventType.values();
        long events = 0;
        for (int i = 0; i < RECORDS; i++) {
            for (int at = 0; at < buffer.capacity(); at += Long.BYTES) {
                buffer.putLong(at, random.nextInt(3) == 0 ? random.nextLong() : EDGES[random.nextInt(EDGES.length)]);
            }
            EventType type = types[random.nextInt(types.length)];
            boolean known = random.nextInt(20) > 0;
            int id = known ? type.id() : 0x400 + random.nextInt(0xfc00);
            buffer.putInt(0, RecordLayout.WIDE.headerSize() + type.payload().size());
            buffer.putShort(4, (short) random.nextInt(300));
            buffer.putShort(6, (short) id);
            fixture.summary.onRecord(record.wrap(buffer, 0));
            events += known && type.id() >= EventType.CORRELATED.id() ? 0 : 1;
            if (i % 1_000 == 0) {
                assertNumbers(fixture.closeAfter(1), seed);
            }
        }
        assertThat(fixture.summary.events()).isEqualTo(events);
    }

    private static void assertNumbers(MetricSnapshot snapshot, long seed) {
        for (int i = 0; i < snapshot.size(); i++) {
            if (snapshot.metric(i).type() != ValueType.STRING) {
                assertThat(snapshot.value(i))
                        .as("%s, seed %d", snapshot.metric(i), seed)
                        .isNotNaN();
            }
        }
    }
}
