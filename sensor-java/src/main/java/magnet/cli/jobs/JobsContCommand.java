// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.concurrent.Callable;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code magnet jobs cont}: lets jobs go on. */
@Command(
        name = "cont",
        header = "Let jobs go on that were stopped.",
        description = {
            "",
            "Thaws the cgroups of a job, and waits until the kernel says so. gtrace continues a task, which is thawed where it was frozen."
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
final class JobsContCommand implements Callable<Integer> {
    @Mixin
    private final JobActionOptions options = new JobActionOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    JobsContCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        options.check(spec.commandLine());
        return new JobActing(world, options).carryOut(JobOrder.CONT);
    }
}
