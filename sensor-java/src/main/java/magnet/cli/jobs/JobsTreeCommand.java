// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import magnet.cli.world.OwnerPoints;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.json.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code magnet jobs tree}: the cgroups and processes of jobs. */
@Command(
        name = "tree",
        header = "Show the cgroups and processes of jobs.",
        description = {
            "",
            "Prints each job with its cgroups, and in each cgroup the processes below their parents. A process whose"
                    + " parent is in another cgroup stands at the left. A task of gtrace has no cgroups of its own: its"
                    + " processes stand as they descend from each other, whatever parent they have now."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet jobs tree slurm:4711",
            "      # the cgroups and processes of one job",
            "  magnet jobs tree --json",
            "      # of all jobs, for programs",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/jobs.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class JobsTreeCommand implements Callable<Integer> {
    @Parameters(arity = "0..*", paramLabel = "NAME", description = "Jobs, as \"magnet jobs\" lists them. Default: all.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final World world;

    JobsTreeCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        List<JobTree> trees = new ArrayList<>();
        for (PresentJob job : PresentJobs.find(OwnerPoints.names(world), Gtrace.of(world), world)
                .named(names)) {
            trees.add(JobTree.of(job, world));
        }
        if (json) {
            world.out()
                    .line(Json.of(
                            Map.of("jobs", trees.stream().map(JobTree::json).toList())));
        } else if (trees.isEmpty()) {
            world.out().line("no jobs");
        } else {
            for (JobTree tree : trees) {
                for (String line : tree.lines()) {
                    world.out().line(line);
                }
            }
        }
        return ExitCode.OK;
    }
}
