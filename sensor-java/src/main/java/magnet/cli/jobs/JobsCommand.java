// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import magnet.cli.world.OwnerPoints;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** {@code magnet jobs}: lists the jobs of this node, and has the commands about them. */
@Command(
        name = "jobs",
        header = "List the jobs on this node; stop, continue and kill them.",
        description = {
            "",
            "Prints a line for each job: whose its processes are, how many, whether it is running, frozen (by the"
                    + " freezer) or stopped (by signals), the CPU time and the memory of its cgroups. A job is what the"
                    + " list in magnet.conf says, or a task of gtrace. What lies within a job counts for it, too.",
            "",
            "CPU %%, WAIT %% and WAITED FOR are magnetd's figures of its last window, if it runs with jobs = on: CPU"
                    + " time as a share of one CPU, the share of the time in which the job waited for a CPU, and who ran"
                    + " longest meanwhile. Root and group magnet see those of all jobs; others see those of jobs with a"
                    + " process of their own, and \"others\" in place of the names of all other jobs. Where there are"
                    + " none, a line says why."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet jobs",
            "      # which jobs are here, and what each takes",
            "  magnet jobs tree slurm:4711",
            "      # its cgroups and processes",
            "  sudo magnet jobs stop slurm:4711",
            "      # until \"magnet jobs cont slurm:4711\"",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/jobs.md"
        },
        synopsisSubcommandLabel = "[COMMAND]",
        commandListHeading = "%nCommands:%n",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class JobsCommand implements Callable<Integer> {
    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final World world;

    private JobsCommand(World world) {
        this.world = world;
    }

    /** The command with those below it. */
    public static CommandLine commandLine(World world) {
        return new CommandLine(new JobsCommand(world))
                .addSubcommand(new JobsTreeCommand(world))
                .addSubcommand(new JobsWatchCommand(world))
                .addSubcommand(new JobsStopCommand(world))
                .addSubcommand(new JobsContCommand(world))
                .addSubcommand(new JobsKillCommand(world))
                .addSubcommand(new JobsKeepCommand(world));
    }

    @Override
    public Integer call() throws IOException {
        JobList list = JobList.of(OwnerPoints.names(world), Gtrace.of(world), new FiguresClient(world), world);
        if (json) {
            world.out().line(list.json());
            return ExitCode.OK;
        }
        if (list.jobs().isEmpty()) {
            world.out().line("no jobs");
            return ExitCode.OK;
        }
        list.table().print(world.out(), world.columns());
        Optional<String> without = list.withoutFigures();
        if (without.isPresent()) {
            world.tell(without.get());
        }
        return ExitCode.OK;
    }
}
