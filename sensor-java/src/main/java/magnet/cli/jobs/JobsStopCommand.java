// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import picocli.CommandLine.Command;

/** {@code magnet jobs stop}: stops jobs. */
@Command(
        name = "stop",
        header = "Let jobs stand still.",
        description = {
            "",
            "Freezes the cgroups of a job, and waits until the kernel says that all of its processes stand still."
                    + " Neither a debugger nor SIGCONT gets around the freezer. A task of gtrace that has a cgroup to"
                    + " itself is frozen, too; others are stopped by gtrace's signals, and so is who left the cgroup."
                    + " With --signals, and where the kernel has no freezer for these cgroups, SIGSTOP goes to each"
                    + " process, from the top of the tree down, until no new one is found.",
            "",
            "Does nothing to a job that has this command itself, magnetd, process 1 or other jobs in it, nor to a whole slice such"
                    + " as /system.slice. Needs root, or the right to write to the cgroups; for --signals, to signal the"
                    + " processes."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet jobs stop slurm:4711",
            "      # frozen until \"magnet jobs cont slurm:4711\"",
            "  magnet jobs stop --signals docker:0123456789ab",
            "      # SIGSTOP to processes of your own",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/jobs.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class JobsStopCommand extends JobActionCommand {
    JobsStopCommand(World world) {
        super(world, JobOrder.STOP);
    }
}
