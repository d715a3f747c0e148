// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.cli;

import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code magnet cluster}: what is done on all nodes at once. */
@Command(
        name = "cluster",
        header = "Record on all nodes of a cluster at one instant.",
        description = {
            "",
            "Orders are signed datagrams, by multicast or to each node. They carry the name of a recording and an instant;"
                    + " what is recorded under that name stands in each node's own magnet.conf. The traces stay on the"
                    + " nodes' disks until they are collected.",
            "",
            "The nodes run magnet-node, and share a key with whoever gives orders."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet cluster start default --for 10s",
            "      # in five seconds all nodes begin to record, and end ten seconds later",
            "  sudo magnet cluster status",
            "      # what each node does, and how good its clock is",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/cluster.md"
        },
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class ClusterCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** The command with those below it. */
    public static CommandLine commandLine(World world) {
        return new CommandLine(new ClusterCommand())
                .addSubcommand(new ClusterStartCommand(world))
                .addSubcommand(new ClusterStopCommand(world))
                .addSubcommand(new ClusterStatusCommand(world))
                .addSubcommand(new ClusterListCommand(world))
                .addSubcommand(new ClusterCollectCommand(world))
                .addSubcommand(new ClusterSyncCommand(world))
                .addSubcommand(new ClusterKeyCommand(world));
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "no command given: start, stop, status, ls, collect, sync or key");
    }
}
