// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import picocli.CommandLine.Command;

/** {@code magnet jobs cont}: lets jobs go on. */
@Command(
        name = "cont",
        header = "Let jobs go on that were stopped.",
        description = {
            "",
            "Thaws the cgroups of a job, and waits until the kernel says so. gtrace continues a task, which is"
                    + " thawed where it was frozen."
                    + " With --signals, and where the kernel has no freezer for these cgroups, SIGCONT goes to each"
                    + " process, from the bottom of the tree up. What was stopped by --signals wants --signals here, too;"
                    + " a line says so."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet jobs cont slurm:4711",
            "      # goes on where \"magnet jobs stop\" froze it",
            "  magnet jobs cont --signals docker:0123456789ab",
            "      # SIGCONT to processes of your own",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/jobs.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class JobsContCommand extends JobActionCommand {
    JobsContCommand(World world) {
        super(world, JobOrder.CONT);
    }
}
