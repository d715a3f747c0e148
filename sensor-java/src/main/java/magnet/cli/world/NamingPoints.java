// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import magnet.control.HitCounts;
import magnet.control.PointInfo;
import magnet.measure.BufferReading;
import magnet.record.RecordHandler;
import magnet.trace.NamingEvent;
import magnet.trace.ThreadNames;

/**
 * The points whose events say what threads are called, as far as nobody has asked for them: they log into the same buffer,
 * and their records are not shown. Immutable.
 */
public final class NamingPoints {
    private final CompanionPoints companions;

    private NamingPoints(CompanionPoints companions) {
        this.companions = companions;
    }

    /**
     * Those that go beside others.
     *
     * @param asked points that somebody wants to see: of these no second subscription goes into the buffer
     * @param known what the module has
     */
    public static NamingPoints beside(Collection<String> asked, List<PointInfo> known) {
        Map<String, Integer> wanted = new LinkedHashMap<>();
        NamingEvent.all().forEach(event -> wanted.put(event.point(), event.id()));
        return new NamingPoints(new CompanionPoints(wanted, asked, known));
    }

    /** Their names, in the order in which they are subscribed. */
    public List<String> points() {
        return companions.points();
    }

    /**
     * Lets them log into a buffer, before the points that were asked for do, and says what could not be had.
     *
     * @return whether from now on all of them log there, each event
     */
    public boolean accompany(BufferReading reading, World world) throws IOException {
        return companions.accompany(reading, world, "threads that begin meanwhile may have no names")
                && companions.areAll();
    }

    /** The end of a line that says what became of hits: what was lost of these points, if anything was. */
    public static String lost(HitCounts accompanying) {
        return CompanionPoints.lost(accompanying, "event that names threads", "events that name threads");
    }

    /** Whether an event is there for its name only. */
    public boolean hides(int event) {
        return companions.hides(event);
    }

    /** Hands all records to the names, and those that were asked for to somebody else as well. */
    public RecordHandler before(ThreadNames names, RecordHandler next) {
        return names.andThen(without(next));
    }

    /** Hands on the records that were asked for. */
    public RecordHandler without(RecordHandler next) {
        return companions.without(next);
    }
}
