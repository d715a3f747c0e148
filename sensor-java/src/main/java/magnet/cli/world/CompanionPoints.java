// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import magnet.control.HitCounts;
import magnet.control.PointInfo;
import magnet.measure.BufferReading;
import magnet.record.RecordHandler;

/**
 * Points that log into a buffer beside those that somebody asked for, because their events explain the others. Their records
 * are not shown. Immutable.
 */
final class CompanionPoints {
    private final List<String> points = new ArrayList<>();
    private final BitSet hidden = new BitSet();
    private final int wanted;

    /**
     * Those of some points that nobody asked for.
     *
     * @param wanted ids of their events by name, in the order in which they are subscribed
     * @param asked points that somebody wants to see: of these no second subscription goes into the buffer
     * @param known what the module has
     */
    CompanionPoints(Map<String, Integer> wanted, Collection<String> asked, List<PointInfo> known) {
        this.wanted = wanted.size();
        wanted.forEach((point, event) -> {
            if (!asked.contains(point) && isAvailable(point, known)) {
                points.add(point);
                hidden.set(event);
            }
        });
    }

    private static boolean isAvailable(String point, List<PointInfo> known) {
        return known.stream().anyMatch(each -> each.name().equals(point) && each.isAvailable());
    }

    /** Their names, in the order in which they are subscribed. */
    List<String> points() {
        return List.copyOf(points);
    }

    /** Whether nobody asked for any of them, and the module has them all. */
    boolean areAll() {
        return points.size() == wanted;
    }

    /**
     * Lets them log into a buffer, before the points that were asked for do.
     *
     * @param complaint what a line about a refused one begins with
     * @return whether none was refused
     */
    boolean accompany(BufferReading reading, World world, String complaint) throws IOException {
        List<String> refused = reading.accompany(points);
        for (String each : refused) {
            world.tell(complaint + ": " + each);
        }
        return refused.isEmpty();
    }

    /** Whether an event is there for the sake of others only. */
    boolean hides(int event) {
        return hidden.get(event);
    }

    /** Hands on the records that were asked for. */
    RecordHandler without(RecordHandler next) {
        return new HidingHandler(this::hides, next);
    }

    /** The end of a line that says what became of hits: what was lost of these points, if anything was. */
    static String lost(HitCounts accompanying, String one, String several) {
        long lost = accompanying.dropped() + accompanying.missed();
        return lost == 0 ? "" : "; " + Counted.of(lost, one + " was", several + " were") + " lost";
    }
}
