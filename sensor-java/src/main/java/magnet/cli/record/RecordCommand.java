// SPDX-License-Identifier: Apache-2.0
package magnet.cli.record;

import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.recorder.RecorderSave;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code magnet record}: has the commands about flight recorders. */
@Command(
        name = "record",
        header = "Keep the newest events in the kernel, and save them when something has happened.",
        description = {
            "",
            "A flight recorder is a buffer in the kernel in which the newest events overwrite the oldest. It needs no"
                    + " process and writes no files. It goes on until \"magnet record stop\" ends it or the module is"
                    + " unloaded. \"magnet record save\" saves its events, the last seconds, as a trace; the recorder"
                    + " goes on, empty.",
            "",
            "\"magnet adapt --save\" saves a recorder when a metric crosses a bound. \"magnet record save"
                    + " --when-urgent\" saves it when it has logged an urgent event. The service does both ([record] in"
                    + " magnet.conf)."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet record start box -p sched_switch,udp_sendmsg --buffer-size 8M",
            "      # from now on the newest 8M of events of each CPU are kept",
            "  sudo magnet record save box -o /tmp/trace",
            "      # what happened before; magnet report /tmp/trace summarises it",
            "  sudo magnet record stop box",
            "      # what was hit, lost and overwritten",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/operating.md, " + ReadOn.DOCS + "/traces.md"
        },
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class RecordCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** The command with those below it. */
    public static CommandLine commandLine(World world) {
        return new CommandLine(new RecordCommand())
                .addSubcommand(new RecordStartCommand(world))
                .addSubcommand(new RecordSaveCommand(world))
                .addSubcommand(new RecordListCommand(world))
                .addSubcommand(new RecordStopCommand(world));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given: start, save, ls or stop");
    }

    /** Where a command finds what it saves. */
    public static RecorderSave.Machine machine(World world) {
        return new RecorderSave.Machine(world.buffers(), world.processes(), world.format(), world.root());
    }
}
