// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.machine.Cgroup;
import magnet.machine.ProcessStatus;
import magnet.os.Errno;
import magnet.os.MonotonicClock;
import magnet.os.OsException;
import magnet.os.ProcessSignal;
import magnet.unit.TimeSpan;

/**
 * Signals to each process of a job. SIGSTOP and SIGKILL go from the top of the tree down, so that no parent sees its children
 * stop or end; SIGCONT goes from the bottom up. A sweep is repeated until it finds nobody new: children may come while it lasts.
 */
final class SignalHand implements JobHand {
    /** Sends a signal; the same as {@link ProcessSignal#send}. */
    @FunctionalInterface
    interface Sender {
        boolean send(ProcessSignal signal, int process, BooleanSupplier meant) throws IOException;
    }

    private final Function<PresentJob, Members> members;
    private final Path processes;
    private final Duration timeout;
    private final MonotonicClock clock;
    private final Sender sender;

    /**
     * @param members who belongs to a job
     * @param processes the folder with a folder for each process
     * @param timeout how long it may take
     */
    SignalHand(
            Function<PresentJob, Members> members,
            Path processes,
            Duration timeout,
            MonotonicClock clock,
            Sender sender) {
        this.members = members;
        this.processes = processes;
        this.timeout = timeout;
        this.clock = clock;
        this.sender = sender;
    }

    @Override
    public String by() {
        return "signals";
    }

    @Override
    public int carryOut(JobOrder order, PresentJob job) throws IOException {
        Members of = members.apply(job);
        Set<Integer> told = new HashSet<>();
        Patience patience = new Patience(timeout, clock);
        if (!patience.await(() -> isDone(order, job, of, told))) {
            Set<Integer> left = left(order, job, of);
            throw new Failure("after " + new TimeSpan(timeout) + " " + Counted.of(left.size(), "process", "processes")
                    + " of " + job.name() + " " + Counted.are(left.size()) + " not " + order.done() + " yet: "
                    + Left.of(left));
        }
        refuseUnseen(order, job, told.size());
        return told.size();
    }

    /** Others may have hidden cgroups of their own. */
    private static void refuseUnseen(JobOrder order, PresentJob job, int told) throws IOException {
        for (Cgroup cgroup : job.cgroups()) {
            if (cgroup.hasUnseen()) {
                throw new Failure(Counted.of(told, "process", "processes") + " of " + job.name() + " "
                        + Counted.are(told) + " " + order.done() + "; there may be more in cgroups below "
                        + cgroup.folder() + " that this user cannot look into");
            }
        }
    }

    private boolean isDone(JobOrder order, PresentJob job, Members of, Set<Integer> told) throws IOException {
        return !sweep(order, of, told) && left(order, job, of).isEmpty();
    }

    /** Signals everybody who has not been yet; false if there is nobody. */
    private boolean sweep(JobOrder order, Members of, Set<Integer> told) throws IOException {
        boolean foundNew = false;
        for (int pid : inOrder(order, of.now())) {
            if (told.contains(pid)) {
                continue;
            }
            if (send(order, pid, of)) {
                told.add(pid);
                foundNew = true;
            }
        }
        return foundNew;
    }

    private boolean send(JobOrder order, int pid, Members of) throws IOException {
        try {
            return sender.send(order.signal(), pid, () -> of.has(pid));
        } catch (OsException e) {
            throw new Failure("process " + pid + " cannot be " + order.done() + ": " + Errno.describe(e.number())
                    + "; run it as root");
        }
    }

    /** Those with whom it is not done. Whom the freezer holds stands still, and takes SIGSTOP when it lets go. */
    private Set<Integer> left(JobOrder order, PresentJob job, Members of) throws IOException {
        Set<Integer> left = new TreeSet<>();
        if (order == JobOrder.STOP && job.isFrozen()) {
            return left;
        }
        for (int pid : of.now().keySet()) {
            if (order == JobOrder.KILL) {
                left.add(pid);
            } else {
                ProcessStatus.of(processes, pid)
                        .filter(process -> process.isStopped() != (order == JobOrder.STOP))
                        .ifPresent(process -> left.add(pid));
            }
        }
        return left;
    }

    /** A process, and how many of the job are above it. */
    private record Placed(int pid, int depth) {}

    /** Parents before their children, or behind them. */
    static List<Integer> inOrder(JobOrder order, Map<Integer, Integer> parents) {
        List<Placed> placed = new ArrayList<>();
        parents.keySet().forEach(pid -> placed.add(new Placed(pid, depth(pid, parents))));
        placed.sort(Comparator.comparingInt(Placed::depth).thenComparingInt(Placed::pid));
        List<Integer> sorted = new ArrayList<>(placed.stream().map(Placed::pid).toList());
        if (order == JobOrder.CONT) {
            Collections.reverse(sorted);
        }
        return sorted;
    }

    /** Numbers that were given anew while somebody looked may seem to go round. */
    private static int depth(int pid, Map<Integer, Integer> parents) {
        int depth = 0;
        Integer above = parents.get(pid);
        while (above != null && parents.containsKey(above) && depth < parents.size()) {
            depth++;
            above = parents.get(above);
        }
        return depth;
    }
}
