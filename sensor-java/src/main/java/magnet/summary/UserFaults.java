// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Set;
import magnet.metric.MemoryMetrics;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/** Page faults of programs, by what the processor says of them. For one thread. */
final class UserFaults extends BuiltInHandler {
    /** In x86's error code: the page is there, but not allowed so. */
    private static final int PROTECTION = 1;
    /** In x86's error code: it was a write. */
    private static final int WRITE = 2;

    private final WindowedCount all;
    private final WindowedCount writes;
    private final WindowedCount protections;

    UserFaults(int slots) {
        this.all = new WindowedCount(slots);
        this.writes = new WindowedCount(slots);
        this.protections = new WindowedCount(slots);
    }

    @Override
    Set<EventType> events() {
        return Set.of(EventType.PAGE_FAULT_USER);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        long code = record.payloadU32(Payload.PAGE_FAULT_ERROR_CODE_OFFSET);
        all.increment();
        if ((code & WRITE) != 0) {
            writes.increment();
        }
        if ((code & PROTECTION) != 0) {
            protections.increment();
        }
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        snapshot.putRate(MemoryMetrics.USER_FAULTS, all.sum());
        snapshot.putRate(MemoryMetrics.WRITE_FAULTS, writes.sum());
        snapshot.putRate(MemoryMetrics.PROTECTION_FAULTS, protections.sum());
    }

    @Override
    public void advance() {
        all.advance();
        writes.advance();
        protections.advance();
    }
}
