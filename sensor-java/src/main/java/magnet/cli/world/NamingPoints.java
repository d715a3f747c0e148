// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import magnet.control.HitCounts;
import magnet.control.PointInfo;
import magnet.measure.BufferReading;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.trace.NamingEvent;
import magnet.trace.ThreadNames;

/**
 * The points whose events say what threads are called, as far as nobody has asked for them: they log into the same buffer,
 * and their records are not shown. Immutable.
 */
public final class NamingPoints {
    private final List<String> points;
    private final BitSet hidden = new BitSet();

    private NamingPoints(List<NamingEvent> events) {
        this.points = events.stream().map(NamingEvent::point).toList();
        events.forEach(event -> hidden.set(event.id()));
    }

    /**
     * Those that go beside others.
     *
     * @param asked points that somebody wants to see: of these no second subscription goes into the buffer
     * @param known what the module has
     */
    public static NamingPoints beside(Collection<String> asked, List<PointInfo> known) {
        return new NamingPoints(NamingEvent.all().stream()
                .filter(event -> !asked.contains(event.point()))
                .filter(event ->
                        known.stream().anyMatch(point -> point.name().equals(event.point()) && point.isAvailable()))
                .toList());
    }

    /** Their names, in the order in which they are subscribed. */
    public List<String> points() {
        return points;
    }

    /**
     * Lets them log into a buffer, before the points that were asked for do, and says what could not be had.
     *
     * @return whether from now on all of them log there, each event
     */
    public boolean accompany(BufferReading reading, World world) throws IOException {
        List<String> refused = reading.accompany(points);
        for (String each : refused) {
            world.tell("threads that begin meanwhile may have no names: " + each);
        }
        return refused.isEmpty() && points.size() == NamingEvent.all().size();
    }

    /** The end of a line that says what became of hits: what was lost of these points, if anything was. */
    public static String lost(HitCounts accompanying) {
        long lost = accompanying.dropped() + accompanying.missed();
        if (lost == 0) {
            return "";
        }
        return "; " + Counted.of(lost, "event that names threads was", "events that name threads were") + " lost";
    }

    /** Whether an event is there for its name only. */
    public boolean hides(int event) {
        return hidden.get(event);
    }

    /** Hands all records to the names, and those that were asked for to somebody else as well. */
    public RecordHandler before(ThreadNames names, RecordHandler next) {
        RecordHandler asked = without(next);
        return new RecordHandler() {
            @Override
            public void onRecord(RecordFlyweight record) {
                names.onRecord(record);
                asked.onRecord(record);
            }

            @Override
            public void onGap(int cpu) {
                names.onGap(cpu);
                asked.onGap(cpu);
            }

            @Override
            public void onNewEpoch(int cpus) {
                asked.onNewEpoch(cpus);
            }
        };
    }

    /** Hands on the records that were asked for. */
    public RecordHandler without(RecordHandler next) {
        return new RecordHandler() {
            @Override
            public void onRecord(RecordFlyweight record) {
                if (!hides(record.event())) {
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
        };
    }
}
