// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import magnet.cli.world.Failure;
import magnet.cli.world.World;
import magnet.machine.Cgroup;
import magnet.machine.ServiceProcess;

/** Jobs that no command touches, because it would take the node, magnet, itself or other jobs with them. Stateless. */
final class Untouchable {
    /** Everything, or everything of a kind: {@code /system.slice}. */
    private static final Pattern ALL = Pattern.compile("/|/[^/]+\\.slice");

    private static final int INIT = 1;
    private static final int TOLD = 20;

    private Untouchable() {}

    /**
     * Refuses one of these.
     *
     * @param within other jobs that lie within it, and nobody has named
     */
    static void refuse(JobOrder order, PresentJob job, List<String> within, World world) throws IOException {
        Optional<String> why = reason(job, world);
        if (why.isEmpty() && !within.isEmpty()) {
            why = Optional.of("other jobs lie within it; name them, too, if you mean them: "
                    + String.join(" ", within.subList(0, Math.min(within.size(), TOLD)))
                    + (within.size() > TOLD ? " and " + (within.size() - TOLD) + " more" : ""));
        }
        if (why.isPresent()) {
            throw new Failure(job.name() + " is not " + order.done() + ": " + why.get());
        }
    }

    private static Optional<String> reason(PresentJob job, World world) throws IOException {
        for (Cgroup cgroup : job.cgroups()) {
            if (ALL.matcher(cgroup.path()).matches()) {
                return Optional.of(cgroup.path() + " is no single job; name a job in it");
            }
        }
        List<Integer> processes = job.numbers();
        if (processes.contains(INIT)) {
            return Optional.of("process 1 is in it");
        }
        if (processes.contains((int) ProcessHandle.current().pid())) {
            return Optional.of("this command itself is in it; run it from another session");
        }
        OptionalLong service = ServiceProcess.find(world.processes());
        if (service.isPresent() && processes.contains((int) service.getAsLong())) {
            return Optional.of("magnetd is in it; stop it by \"systemctl stop magnetd\"");
        }
        return Optional.empty();
    }
}
