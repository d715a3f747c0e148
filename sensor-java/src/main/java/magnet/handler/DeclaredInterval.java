// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import magnet.spi.Count;
import magnet.spi.Description;
import magnet.spi.Distribution;
import magnet.spi.Event;
import magnet.spi.Field;
import magnet.spi.HandlerSetup;
import magnet.summary.OpenIntervals;
import org.jspecify.annotations.Nullable;

/**
 * The time from an event to the next one that has the same number in a field: from one point to another, where each begin
 * is used once and the latest counts, or from one event of a point to the next. What may span a loss or a jump of the
 * timer is not measured, but counted. For one thread.
 *
 * <p>It remembers {@value #CAPACITY} begins, which takes 168 KiB, in sets of eight; where a set is full, the one that is
 * longest ago gives way, and is counted, too.
 */
final class DeclaredInterval extends DeclaredHandler {
    private static final int CAPACITY = 4_096;
    private static final int OPEN = 1;
    private static final int END_POINT = 1;

    private final boolean toOtherPoint;
    private final OpenIntervals open = new OpenIntervals(CAPACITY);
    private Field @Nullable [] keys;
    private @Nullable Distribution times;
    private @Nullable Count discarded;

    DeclaredInterval(HandlerDefinition definition) {
        super(definition);
        this.toOtherPoint = definition.points().size() > 1;
    }

    private Description discardedMetric() {
        return new Description(
                "discarded",
                "intervals",
                name().replace('_', ' ') + " intervals discarded",
                "Intervals of handler " + name()
                        + " that were not measured, because events were lost, the timer jumped, or too many were open",
                definition.metric().group());
    }

    @Override
    public void begin(HandlerSetup setup) {
        Field[] byPoint = new Field[definition.points().size()];
        for (int i = 0; i < byPoint.length; i++) {
            byPoint[i] = setup.fields(i).field(definition.by());
        }
        keys = byPoint;
        times = setup.times(definition.metric());
        discarded = setup.count(discardedMetric());
    }

    @Override
    public void onEvent(Event event) {
        if (keys == null || times == null || discarded == null) {
            return;
        }
        long key = event.number(keys[event.point()]);
        boolean ends = !toOtherPoint || event.point() == END_POINT;
        if (ends) {
            int place = open.find(key, 0);
            if (place != OpenIntervals.NONE) {
                // Clocks of two CPUs, or a late record, may make it negative.
                times.record(Math.max(0, event.timer() - open.begin(place)));
                open.close(place);
            }
        }
        if (!toOtherPoint || !ends) {
            open.open(key, 0, event.timer(), OPEN);
            discarded.add(open.takeEvicted());
        }
    }

    @Override
    public void onLoss(int cpu, long events) {
        discardAll();
    }

    @Override
    public void onNewEpoch(int cpus) {
        discardAll();
    }

    private void discardAll() {
        int closed = open.closeAll();
        if (discarded != null) {
            discarded.add(closed);
        }
    }
}
