// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import picocli.CommandLine.Command;

/** {@code magnet jobs kill}: kills jobs. */
@Command(
        name = "kill",
        header = "Kill all processes of jobs.",
        description = {
            "",
            "Lets the kernel kill all processes in the cgroups of a job at once, also those that are born meanwhile,"
                    + " and waits until none is left. gtrace kills a task, also who has left its cgroup. With --signals, and"
                    + " where the kernel has no cgroup.kill for these cgroups, SIGKILL goes to each process, from the top of the"
                    + " tree down, until none is left. If some are left after --timeout, the command names them and ends"
                    + " with exit code 1.",
            "",
            "Does nothing to a job that has this command itself, magnetd, process 1 or other jobs in it, nor to a whole slice such"
                    + " as /system.slice. Whoever started the job, such as Slurm, may start it again."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet jobs kill slurm:4711",
            "      # says how many processes were killed",
            "  sudo magnet jobs kill --json slurm:4711 slurm:4712",
            "      # two jobs, for a program that reads on",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/jobs.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class JobsKillCommand extends JobActionCommand {
    JobsKillCommand(World world) {
        super(world, JobOrder.KILL);
    }
}
