// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.function.IntPredicate;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;

/** Hands on all but the records of some events. */
final class HidingHandler implements RecordHandler {
    private final IntPredicate hidden;
    private final RecordHandler next;

    /** @param hidden whether an event is not handed on */
    HidingHandler(IntPredicate hidden, RecordHandler next) {
        this.hidden = hidden;
        this.next = next;
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        if (!hidden.test(record.event())) {
            next.onRecord(record);
        }
    }

    @Override
    public void onGap(int cpu) {
        next.onGap(cpu);
    }

    @Override
    public void onNewEpoch(int cpus) {
        next.onNewEpoch(cpus);
    }
}
