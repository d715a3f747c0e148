// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.record.EventType;

/**
 * What a trace says of whose its events are, beside its records of {@link #POINTS}: it has every one of these that happened,
 * but for those that were lost. Immutable.
 *
 * @param companions those of the points that log for the owners' sake only: nobody asked for their events
 * @param cgroups by process, the cgroup that it was in when the trace began, where no record says it
 * @param paths by cgroup, its path from the root of the hierarchy, where no record says it
 */
public record TraceOwners(Set<String> companions, Map<Integer, Long> cgroups, Map<Long, String> paths) {
    /** The points whose events tell owners, in the order in which they are subscribed: a process is told when its cgroup is known. */
    public static final List<EventType> POINTS =
            List.of(EventType.CGROUP_MKDIR, EventType.CGROUP_RMDIR, EventType.TASK_ATTACH);

    public TraceOwners {
        companions = Set.copyOf(companions);
        cgroups = Map.copyOf(cgroups);
        paths = Map.copyOf(paths);
    }

    /** Of a trace whose records say it all. */
    public TraceOwners(Set<String> companions) {
        this(companions, Map.of(), Map.of());
    }

    /** Whether an event tells owners and nothing else. */
    public static boolean isOne(int event) {
        EventType type = EventType.ofId(event);
        return type != null && POINTS.contains(type);
    }

    /** Whether records of an event are there for the owners' sake only. */
    public boolean hides(int event) {
        EventType type = EventType.ofId(event);
        return type != null && POINTS.contains(type) && companions.contains(type.label());
    }

    /** Of a trace in parts: it begins where the first one does, and each knows paths of its own. */
    TraceOwners withPart(TraceOwners next) {
        Map<Long, String> all = new HashMap<>(next.paths);
        all.putAll(paths);
        Set<String> hidden = new HashSet<>(companions);
        hidden.retainAll(next.companions);
        return new TraceOwners(hidden, cgroups, all);
    }
}
