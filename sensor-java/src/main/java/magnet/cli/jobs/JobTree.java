// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.cli.world.Counted;
import magnet.cli.world.VisibleText;
import magnet.cli.world.World;
import magnet.machine.Cgroup;
import magnet.machine.ProcessStatus;

/** A job with its cgroups, and the processes in each below their parents. Immutable. */
final class JobTree {
    private static final String STEP = "  ";
    /** What lies deeper is not shown any further to the right. */
    private static final int DEEPEST = 40;

    /**
     * A cgroup, or a task of gtrace.
     *
     * @param path empty if it is a task
     * @param depth cgroups of the job above it
     * @param processes parents before their children
     */
    private record Branch(String path, int depth, List<Leaf> processes) {}

    /**
     * A process.
     *
     * @param depth processes of its cgroup above it
     */
    private record Leaf(int pid, int parent, String name, Optional<Character> state, int depth) {}

    private final String job;
    private final String state;
    private final List<Branch> branches;

    private JobTree(String job, String state, List<Branch> branches) {
        this.job = job;
        this.state = state;
        this.branches = branches;
    }

    /** A job as it is now. */
    static JobTree of(PresentJob job, World world) throws IOException {
        List<Branch> branches = new ArrayList<>();
        if (job.task().isPresent()) {
            branches.add(new Branch("", 0, ofTask(job.task().get(), world)));
        }
        for (Cgroup top : job.cgroups()) {
            add(top, branches, world);
        }
        return new JobTree(job.name(), job.state(job.processes(world.processes())), branches);
    }

    /** A cgroup that is still to be added, and how many of the job are above it. */
    private record Waiting(Cgroup cgroup, int depth) {}

    /** A cgroup, and behind it those in it. Users may nest theirs deeper than calls may be nested. */
    private static void add(Cgroup top, List<Branch> branches, World world) throws IOException {
        Deque<Waiting> next = new ArrayDeque<>(List.of(new Waiting(top, 0)));
        while (!next.isEmpty()) {
            Waiting now = next.pop();
            branches.add(new Branch(now.cgroup().path(), now.depth(), below(processes(now.cgroup(), world))));
            List<Cgroup> children = now.cgroup().children();
            for (int i = children.size() - 1; i >= 0; i--) {
                next.push(new Waiting(children.get(i), now.depth() + 1));
            }
        }
    }

    private static List<ProcessStatus> processes(Cgroup cgroup, World world) throws IOException {
        List<ProcessStatus> processes = new ArrayList<>();
        for (int pid : cgroup.processes()) {
            ProcessStatus.of(world.processes(), pid)
                    .filter(process -> !process.hasEnded())
                    .ifPresent(processes::add);
        }
        return processes;
    }

    private static List<Leaf> below(List<ProcessStatus> processes) {
        Set<Integer> here = processes.stream().map(ProcessStatus::pid).collect(Collectors.toSet());
        Map<Integer, List<ProcessStatus>> children =
                processes.stream().collect(Collectors.groupingBy(ProcessStatus::parent));
        List<Leaf> leaves = new ArrayList<>();
        Map<Integer, Integer> depths = new LinkedHashMap<>();
        // Last in, first out: so each stands before its children, and these before what comes next.
        Deque<ProcessStatus> next = new ArrayDeque<>();
        pushAll(processes.stream().filter(process -> !here.contains(process.parent())), next);
        while (!next.isEmpty()) {
            ProcessStatus process = next.pop();
            int depth = depths.getOrDefault(process.parent(), -1) + 1;
            depths.put(process.pid(), depth);
            leaves.add(new Leaf(process.pid(), process.parent(), process.name(), Optional.of(process.state()), depth));
            pushAll(children.getOrDefault(process.pid(), List.of()).stream(), next);
        }
        return leaves;
    }

    private static void pushAll(Stream<ProcessStatus> processes, Deque<ProcessStatus> next) {
        processes
                .sorted((one, other) -> Integer.compare(other.pid(), one.pid()))
                .forEach(next::push);
    }

    private static List<Leaf> ofTask(GtraceTask task, World world) {
        Map<Integer, Integer> depths = new LinkedHashMap<>();
        List<Leaf> leaves = new ArrayList<>();
        for (GtraceTask.Node process : task.processes()) {
            int depth = depths.getOrDefault(process.parent(), -1) + 1;
            depths.put(process.pid(), depth);
            leaves.add(new Leaf(
                    process.pid(),
                    process.parent(),
                    process.program(),
                    ProcessStatus.of(world.processes(), process.pid()).map(ProcessStatus::state),
                    depth));
        }
        return leaves;
    }

    private int processes() {
        return branches.stream().mapToInt(branch -> branch.processes().size()).sum();
    }

    /** As text: cgroups and processes stand below what they are in. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(job + ": " + Counted.of(processes(), "process", "processes") + ", " + state);
        for (Branch branch : branches) {
            String indent = STEP.repeat(branch.depth() + 1);
            if (!branch.path().isEmpty()) {
                lines.add(indent + VisibleText.of(branch.depth() == 0 ? branch.path() : name(branch.path())));
                indent += STEP;
            }
            for (Leaf leaf : branch.processes()) {
                lines.add(indent + STEP.repeat(Math.min(leaf.depth(), DEEPEST)) + leaf.pid() + " "
                        + VisibleText.of(leaf.name()));
            }
        }
        return lines;
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** The same for programs. */
    Map<String, Object> json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("job", job);
        map.put("state", state);
        List<Map<String, Object>> cgroups = new ArrayList<>();
        for (Branch branch : branches) {
            Map<String, Object> of = new LinkedHashMap<>();
            if (!branch.path().isEmpty()) {
                of.put("path", branch.path());
            }
            of.put("processes", branch.processes().stream().map(JobTree::json).toList());
            cgroups.add(of);
        }
        map.put("cgroups", cgroups);
        return map;
    }

    private static Map<String, Object> json(Leaf leaf) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("pid", leaf.pid());
        map.put("parent", leaf.parent());
        map.put("name", leaf.name());
        leaf.state().ifPresent(state -> map.put("state", state));
        return map;
    }
}
