// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Whatever bytes come in: every record lies within the batch, and the walk ends. */
final class RecordFuzzTest {
    @FuzzTest(maxDuration = "60s")
    void shouldSurviveAnyBytes(byte[] data) {
        ByteBuffer batch = ByteBuffer.allocateDirect(data.length).order(ByteOrder.nativeOrder());
        batch.put(0, data);
        for (RecordLayout layout : RecordLayout.values()) {
            walk(layout, batch);
        }
    }

    private static void walk(RecordLayout layout, ByteBuffer batch) {
        RecordCursor cursor = new RecordCursor(layout).wrap(batch, 0, batch.capacity());
        int end = 0;
        while (cursor.next()) {
            RecordFlyweight record = cursor.record();
            check(record.offset() == end, "records follow each other");
            end += record.size();
            check(end <= batch.capacity(), "records end within the batch");
            EventType type = EventType.ofId(record.event());
            if (type != null) {
                type.fields().forEach(field -> field.valueIn(record));
            }
        }
        check(cursor.offset() == end, "the offset is where the last record ended");
        check(cursor.end() != Validity.VALID || end == batch.capacity(), "a valid batch is read to its end");
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
