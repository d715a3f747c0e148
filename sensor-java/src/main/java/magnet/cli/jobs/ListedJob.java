// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import magnet.cli.world.World;
import magnet.machine.ProcessOwners;
import magnet.machine.ProcessStatus;

/**
 * What the list says of a job. Immutable.
 *
 * @param name the job's
 * @param users whose its processes are, the one with most of them first
 * @param processes how many
 * @param state whether it stands still
 * @param cpuMicros CPU time of its cgroups
 * @param memoryBytes memory of its cgroups
 * @param figures what magnetd says of it; nothing if that says nothing
 */
record ListedJob(
        String name,
        List<String> users,
        int processes,
        String state,
        OptionalLong cpuMicros,
        OptionalLong memoryBytes,
        Map<String, Object> figures) {

    /** What there is to say of a job now. */
    static ListedJob of(PresentJob job, JobFigures figures, ProcessOwners owners, World world) throws IOException {
        List<ProcessStatus> processes = job.processes(world.processes());
        return new ListedJob(
                job.name(),
                users(processes, owners),
                processes.size(),
                job.state(processes),
                job.cpuMicros(),
                job.memoryBytes(),
                figures.of(job.name()));
    }

    private static List<String> users(List<ProcessStatus> processes, ProcessOwners owners) {
        Map<String, Long> counts = processes.stream()
                .map(process -> owners.nameOf(process.user(), process.pid()))
                .collect(Collectors.groupingBy(name -> name, LinkedHashMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .sorted((one, other) -> Long.compare(other.getValue(), one.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The same for programs; what is not known is left out. */
    Map<String, Object> json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("job", name);
        map.put("users", users);
        map.put("processes", processes);
        map.put("state", state);
        cpuMicros.ifPresent(micros -> map.put("cpu_seconds", micros / 1e6));
        memoryBytes.ifPresent(bytes -> map.put("memory_bytes", bytes));
        map.putAll(figures);
        return map;
    }
}
