// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Set;
import magnet.metric.MetricSnapshot;
import magnet.metric.NetworkMetrics;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/** Packets that a driver was given and did not take. For one thread. */
final class DriverRefusals extends BuiltInHandler {
    private static final long OK = 0;
    /** NET_XMIT_CN: a device that stands on another took the packet, and the queue of that one is nearly full. */
    private static final long CONGESTED = 2;

    private final WindowedCount refusals;

    DriverRefusals(int slots) {
        this.refusals = new WindowedCount(slots);
    }

    @Override
    Set<EventType> events() {
        return Set.of(EventType.NET_DEV_XMIT);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        if (!wasTaken(record)) {
            refusals.increment();
        }
    }

    /** Whether the driver took the packet that it was given. */
    static boolean wasTaken(RecordFlyweight record) {
        long answer = record.payloadU32(Payload.XMIT_RET_OFFSET);
        return answer == OK || answer == CONGESTED;
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        snapshot.putRate(NetworkMetrics.DRIVER_REFUSALS, refusals.sum());
    }

    @Override
    public void advance() {
        refusals.advance();
    }
}
