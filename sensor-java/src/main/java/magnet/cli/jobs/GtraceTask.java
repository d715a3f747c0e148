// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A task of gtrace, as {@code /dev/gtrace} tells it.
 *
 * @param name the task's
 * @param state run, stop or kill
 * @param owner number of the user who made it
 * @param cgroup id of the cgroup that its processes are to stay in
 * @param processes parents before their children
 */
record GtraceTask(String name, String state, int owner, long cgroup, List<Node> processes) {
    private static final Pattern TASK =
            Pattern.compile("task (\\S+) id \\d+ state (\\S+) owner (\\d+) processes \\d+ cgroup (\\d+)");
    private static final Pattern PROCESS =
            Pattern.compile("process (\\d+) parent (\\d+) depth \\d+ start (\\d+) progname (.*)");

    GtraceTask {
        processes = List.copyOf(processes);
    }

    /**
     * A process of a task.
     *
     * @param parent its parent in the tree; 0 if it has none there
     * @param start when it was made, as in {@code /proc/PID/stat}
     * @param program its program
     */
    record Node(int pid, int parent, long start, String program) {}

    /** All tasks of a text. */
    static List<GtraceTask> parse(String text) {
        List<GtraceTask> tasks = new ArrayList<>();
        List<Node> processes = new ArrayList<>();
        List<String> lines = text.lines().toList();
        // From the end on, so that a task's processes are there when its line comes.
        for (int i = lines.size() - 1; i >= 0; i--) {
            Matcher task = TASK.matcher(lines.get(i));
            Matcher process = PROCESS.matcher(lines.get(i));
            if (process.matches()) {
                processes.add(process(process));
            } else if (task.matches()) {
                Collections.reverse(processes);
                tasks.add(new GtraceTask(
                        task.group(1),
                        task.group(2),
                        Integer.parseUnsignedInt(task.group(3)),
                        Long.parseLong(task.group(4)),
                        processes));
                processes.clear();
            }
        }
        Collections.reverse(tasks);
        return tasks;
    }

    private static Node process(Matcher line) {
        return new Node(
                Integer.parseInt(line.group(1)),
                Integer.parseInt(line.group(2)),
                Long.parseLong(line.group(3)),
                line.group(4));
    }

    /** The one of a name. */
    static Optional<GtraceTask> named(String name, List<GtraceTask> tasks) {
        return tasks.stream().filter(task -> task.name.equals(name)).findFirst();
    }
}
