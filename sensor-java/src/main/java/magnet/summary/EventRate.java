// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Set;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;

/** How often one event happens, whatever it carries. For one thread. */
final class EventRate extends BuiltInHandler {
    private final EventType event;
    private final Metric metric;
    private final WindowedCount count;

    EventRate(EventType event, Metric metric, int slots) {
        this.event = event;
        this.metric = metric;
        this.count = new WindowedCount(slots);
    }

    @Override
    Set<EventType> events() {
        return Set.of(event);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        count.increment();
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        snapshot.putRate(metric, count.sum());
    }

    @Override
    public void advance() {
        count.advance();
    }
}
