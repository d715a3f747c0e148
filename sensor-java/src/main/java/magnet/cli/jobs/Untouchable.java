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

/** Jobs that no command touches, because it would take the node, magnet or itself with them. Stateless. */
final class Untouchable {
    /** Everything, or everything of a kind: {@code /system.slice}. */
    private static final Pattern ALL = Pattern.compile("/|/[^/]+\\.slice");

    private static final int INIT = 1;

    private Untouchable() {}

    /** Refuses one of these. */
    static void refuse(JobOrder order, PresentJob job, World world) throws IOException {
        Optional<String> why = reason(job, world);
        if (why.isPresent()) {
            throw new Failure("magnet does not " + order.word() + " " + job.name() + ": " + why.get());
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
