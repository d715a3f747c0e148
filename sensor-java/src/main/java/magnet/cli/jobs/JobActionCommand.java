// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.concurrent.Callable;
import magnet.cli.world.World;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What the commands that carry out an order on jobs have in common. */
abstract class JobActionCommand implements Callable<Integer> {
    @Mixin
    private final JobActionOptions options = new JobActionOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;
    private final JobOrder order;

    JobActionCommand(World world, JobOrder order) {
        this.world = world;
        this.order = order;
    }

    @Override
    public final Integer call() throws IOException {
        options.check(spec.commandLine());
        return new JobActing(world, options).carryOut(order);
    }
}
