// SPDX-License-Identifier: Apache-2.0
package magnet.recorder;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import magnet.machine.CgroupTree;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.trace.TraceOwners;

/**
 * Whose processes were when the trace of a flight recorder begins. Its ring has given up what told it, so the machine is
 * asked before the snapshot is made: a process that no record tells since then was where it is now, and one whose first
 * record says that it runs a program was already there. Where one was before it was moved, and where it was that has ended,
 * nobody knows; nor does anybody where events were lost. For one thread.
 */
final class RecordedOwners implements RecordHandler {
    private static final int HOW_FORK = 1;
    private static final int HOW_MOVE = 3;

    private final Set<String> companions;
    private final Map<Integer, Long> cgroups;
    private final Map<Long, String> paths = new HashMap<>();
    private final Set<Integer> told = new HashSet<>();
    private boolean lost;

    private RecordedOwners(Set<String> companions, Map<String, Long> ids, Map<Integer, Long> cgroups) {
        this.companions = companions;
        this.cgroups = new TreeMap<>(cgroups);
        ids.forEach((path, id) -> paths.put(id, path));
    }

    /**
     * Asks the machine.
     *
     * @param companions those of the points that log for the owners' sake only
     * @param root of all files
     */
    static RecordedOwners now(Set<String> companions, Path processes, Path root) throws IOException {
        Optional<Map<String, Long>> ids = CgroupTree.ids(root);
        return ids.isEmpty()
                ? new RecordedOwners(companions, Map.of(), Map.of())
                : new RecordedOwners(companions, ids.get(), CgroupTree.ofProcesses(processes, root, ids.get()));
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int event = record.event();
        if (event == EventType.LOST.id() || event == EventType.STORM.id()) {
            lost = true;
        } else if (event == EventType.TASK_ATTACH.id()) {
            int process = (int) record.abstractId();
            int how = (int) record.payloadU32(Payload.TASK_ATTACH_HOW_OFFSET);
            if (told.add(process)) {
                if (how == HOW_FORK || how == HOW_MOVE) {
                    cgroups.remove(process);
                } else {
                    cgroups.put(process, record.payloadU64(Payload.TASK_ATTACH_CGROUP_OFFSET));
                }
            }
        }
    }

    @Override
    public void onGap(int cpu) {
        lost = true;
    }

    /** What the trace does not say by records. */
    TraceOwners take() {
        return new TraceOwners(companions, lost ? Map.of() : cgroups, paths);
    }
}
