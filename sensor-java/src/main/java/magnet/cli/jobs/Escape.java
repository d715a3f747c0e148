// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.util.LinkedHashMap;
import java.util.Map;
import magnet.machine.Cgroup;

/**
 * A process that is outside of its task's cgroup.
 *
 * @param task the task's name
 * @param process the process
 * @param home the task's cgroup
 * @param place path of the cgroup that the process is in
 */
record Escape(String task, GtraceTask.Node process, Cgroup home, String place) {
    /** For people. */
    String text(EscapeAction action) {
        return process.pid() + " (" + process.program() + ") of " + PresentJobs.GTRACE + task
                + switch (action) {
                    case RETURN -> " from " + place + " to " + home.path();
                    case KILL, TELL -> " in " + place + ", outside of " + home.path();
                };
    }

    /** For programs. */
    Map<String, Object> json(EscapeAction action) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("job", PresentJobs.GTRACE + task);
        map.put("pid", process.pid());
        map.put("program", process.program());
        map.put("cgroup", place);
        map.put("home", home.path());
        map.put("action", action.toString());
        return map;
    }
}
