// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import magnet.cli.world.Complaint;
import magnet.cli.world.Counted;
import magnet.cli.world.OwnerPoints;
import magnet.cli.world.World;
import magnet.json.Json;
import magnet.machine.Cgroup;
import magnet.machine.ProcessStatus;
import magnet.os.ProcessSignal;
import picocli.CommandLine.ExitCode;

/** Carries out an order on jobs, after it has seen that all of them are there and may be touched. For one run. */
final class JobActing {
    private final World world;
    private final Gtrace gtrace;
    private final JobActionOptions options;

    JobActing(World world, JobActionOptions options) {
        this(world, Gtrace.of(world), options);
    }

    JobActing(World world, Gtrace gtrace, JobActionOptions options) {
        this.world = world;
        this.gtrace = gtrace;
        this.options = options;
    }

    /** Returns the exit code: what failed with one job keeps nobody from the others. */
    int carryOut(JobOrder order) throws IOException {
        PresentJobs present = PresentJobs.find(OwnerPoints.names(world), gtrace, world);
        List<PresentJob> jobs = present.named(options.names());
        for (PresentJob job : jobs) {
            List<String> within = present.within(job);
            within.removeAll(options.names());
            Untouchable.refuse(order, job, within, world);
        }
        List<Map<String, Object>> results = new ArrayList<>();
        boolean failed = false;
        for (PresentJob job : jobs) {
            Map<String, Object> result = carryOut(order, job);
            failed |= result.containsKey("error");
            results.add(result);
        }
        if (options.isJson()) {
            world.out().line(Json.of(Map.of("jobs", results)));
        }
        return failed ? ExitCode.SOFTWARE : ExitCode.OK;
    }

    private Map<String, Object> carryOut(JobOrder order, PresentJob job) throws IOException {
        JobHand hand = hand(order, job);
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("job", job.name());
        result.put("order", order.word());
        result.put("by", hand.by());
        try {
            int processes = hand.carryOut(order, job);
            result.put("processes", processes);
            say(order, job, processes);
            if (order == JobOrder.CONT) {
                sayStillStopped(job);
            }
        } catch (IOException e) {
            String why = Complaint.about(e);
            result.put("error", why);
            world.tell(why);
        }
        return result;
    }

    private void say(JobOrder order, PresentJob job, int processes) throws IOException {
        if (!options.isJson()) {
            world.out().line(order.done() + " " + Counted.of(processes, "process", "processes") + " of " + job.name());
        }
    }

    /** Whom a signal has stopped the freezer does not let go on, nor SIGCONT whom the freezer holds. */
    private void sayStillStopped(PresentJob job) throws IOException {
        if (job.isFrozenAnywhere()) {
            sayStillFrozen(job);
            return;
        }
        long stopped = job.processes(world.processes()).stream()
                .filter(ProcessStatus::isStopped)
                .count();
        if (stopped > 0) {
            world.tell("a signal or a debugger still stops " + Counted.of(stopped, "process", "processes") + " of "
                    + job.name() + "; \"magnet jobs cont --signals " + job.name() + "\" sends SIGCONT");
        }
    }

    /** Others have frozen what is of version 1. */
    private void sayStillFrozen(PresentJob job) throws IOException {
        Optional<Cgroup> old =
                job.cgroups().stream().filter(cgroup -> !cgroup.hasFreezer()).findFirst();
        world.tell("the freezer still holds processes of " + job.name() + "; "
                + old.map(cgroup -> "write THAWED to " + cgroup.freezerState())
                        .orElse("\"magnet jobs cont " + job.name() + "\" lets them go on"));
    }

    private JobHand hand(JobOrder order, PresentJob job) throws IOException {
        if (job.task().isPresent()) {
            TaskHand freezer =
                    new TaskHand(gtrace, world.processes(), options.timeout(), world.clock(), ProcessSignal.KILL::send);
            return !options.bySignals() && freezer.can(order, job)
                    ? freezer
                    : new GtraceHand(gtrace, world.processes(), options.timeout(), world.clock());
        }
        if (!options.bySignals() && CgroupHand.can(order, job)) {
            return new CgroupHand(world.processes(), options.timeout(), world.clock(), ProcessSignal.KILL::send);
        }
        return new SignalHand(
                each -> new Members.OfCgroups(each, world.processes()),
                world.processes(),
                options.timeout(),
                world.clock(),
                (signal, process, meant) -> signal.send(process, meant));
    }
}
