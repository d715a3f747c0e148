// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import magnet.cli.world.Table;
import magnet.cli.world.World;
import magnet.job.JobNames;
import magnet.json.Json;
import magnet.machine.ProcessOwners;
import magnet.metric.JobColumn;

/**
 * All jobs with what each takes. Immutable.
 *
 * @param jobs sorted by name
 * @param figures what magnetd says of them
 */
record JobList(List<ListedJob> jobs, JobFigures figures) {
    /** In place of what is not known. */
    private static final String UNKNOWN = "-";

    private static final String[] UNITS = {"B", "K", "M", "G", "T"};
    private static final int USERS = 2;
    private static final double KIB = 1024;
    private static final double MICROS = 1e6;

    /** As they are now. */
    static JobList of(JobNames names, Gtrace gtrace, FiguresClient client, World world) throws IOException {
        JobFigures figures = client.ask();
        ProcessOwners owners = new ProcessOwners(world.processes());
        List<ListedJob> jobs = new ArrayList<>();
        for (PresentJob job : PresentJobs.find(names, gtrace, world).all()) {
            jobs.add(ListedJob.of(job, figures, owners, world));
        }
        return new JobList(jobs, figures);
    }

    /** A line for those who see no figures; empty if there are some. */
    Optional<String> withoutFigures() {
        return figures.why().map(why -> "no figures from magnetd: " + why);
    }

    Table table() {
        Table table = new Table(
                "JOB", "USER", ">PROCS", "STATE", ">CPU-SECONDS", ">MEMORY", ">CPU %", ">WAIT %", "WAITED FOR (%)");
        for (ListedJob job : jobs) {
            table.row(
                    job.name(),
                    users(job.users()),
                    job.processes(),
                    job.state(),
                    job.cpuMicros().isPresent() ? number(job.cpuMicros().getAsLong() / MICROS) : UNKNOWN,
                    job.memoryBytes().isPresent()
                            ? bytes((double) job.memoryBytes().getAsLong())
                            : UNKNOWN,
                    percent(job.name(), JobColumn.CPU),
                    percent(job.name(), JobColumn.WAIT),
                    cause(job.name()));
        }
        return table;
    }

    private static String users(List<String> users) {
        if (users.isEmpty()) {
            return UNKNOWN;
        }
        int more = users.size() - USERS;
        return String.join(",", users.subList(0, Math.min(USERS, users.size()))) + (more > 0 ? ",+" + more : "");
    }

    private String percent(String job, JobColumn column) {
        return figures.value(job, column).map(JobList::number).orElse(UNKNOWN);
    }

    private String cause(String job) {
        return figures.cause(job)
                .map(cause -> cause.getKey() + " " + number(cause.getValue()))
                .orElse(UNKNOWN);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String bytes(double bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= KIB && unit < UNITS.length - 1) {
            value /= KIB;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f%s" : "%.1f%s", value, UNITS[unit]);
    }

    /** The same for programs. */
    String json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("jobs", jobs.stream().map(ListedJob::json).toList());
        figures.why().ifPresent(why -> map.put("without_figures", why));
        return Json.of(map);
    }
}
