// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.Objects;
import magnet.record.RecordFlyweight;
import magnet.spi.Event;
import magnet.spi.Field;
import org.jspecify.annotations.Nullable;

/** A record as handlers see it. Moves from record to record; for one thread. */
final class RecordEvent implements Event {
    private @Nullable RecordFlyweight record;
    private int point;

    /** Moves on. */
    RecordEvent wrap(RecordFlyweight next, int pointIndex) {
        record = next;
        point = pointIndex;
        return this;
    }

    private RecordFlyweight record() {
        return Objects.requireNonNull(record);
    }

    @Override
    public int point() {
        return point;
    }

    @Override
    public int cpu() {
        return record().cpu();
    }

    @Override
    public int tgid() {
        return record().tgid();
    }

    @Override
    public int tid() {
        return record().tid();
    }

    @Override
    public long id() {
        return record().abstractId();
    }

    @Override
    public long timer() {
        return record().timer();
    }

    @Override
    public long number(Field field) {
        return ((RecordField) field).number(record());
    }

    @Override
    public String text(Field field) {
        return ((RecordField) field).text(record());
    }
}
