// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import magnet.cli.world.NewFile;
import magnet.cli.world.PointChoice;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code magnet read}: prints events as they happen. */
@Command(
        name = "read",
        header = "Print events of all CPUs as they happen, in order of time.",
        description = {
            "",
            "Reads from a buffer of its own, beside the service's. Ends after --count events, after --duration, on"
                    + " Ctrl-C, or when nobody reads its output any more, and then says what was lost. It switches off"
                    + " again what it switched on. With -o it saves a trace instead.",
            "",
            "Prints task states, protocols, system calls and other numbers that have a name by their name" + " ("
                    + ReadOn.DOCS + "/record-format.md). --raw prints the numbers. Rules take both.",
            "",
            "NAME is the thread's name when the event happened, even if the program is gone by now. For the names the"
                    + " command also logs sched_process_fork, sched_process_exec, sched_process_exit and task_rename"
                    + " into its buffer. It prints and counts these events only if you ask for them. With -o it does the"
                    + " same with cgroup_mkdir, cgroup_rmdir and task_attach, so that the trace says whose its events"
                    + " are (" + ReadOn.DOCS + "/jobs.md)."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet read -p sched_switch -n 10",
            "      # the next ten context switches",
            "  sudo magnet read -p udp_sendmsg,udp_rcv --filter 'drop if len < 1000' -d 5s",
            "      # five seconds of large datagrams",
            "  sudo magnet read --not-self -d 10s -o /tmp/trace",
            "      # a trace of all points; magnet report /tmp/trace summarises it",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/traces.md, " + ReadOn.DOCS + "/control.md, " + ReadOn.DOCS
                    + "/record-format.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class ReadCommand implements Callable<Integer> {
    @Option(
            names = {"-p", "--point"},
            split = ",",
            paramLabel = "POINT",
            description =
                    "A point to read; several as a,b, or in several -p. Default: all points that this kernel has.")
    private List<String> points = new ArrayList<>();

    @Mixin
    private EventOptions events = new EventOptions();

    @Option(
            names = "--records",
            paramLabel = "FOLDER",
            description = "Also keep the records as they were read, in FOLDER/cpuN.raw. The command makes FOLDER; if"
                    + " FOLDER exists, it must have no such file with anything in it.")
    private @Nullable Path rawDirectory;

    @Mixin
    private TraceOptions trace = new TraceOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public ReadCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        events.check(spec.commandLine());
        PointChoice.check(spec.commandLine(), "-p", points);
        trace.check(spec.commandLine(), events);
        events.resolveRules(world);
        if (rawDirectory != null) {
            Files.createDirectories(rawDirectory);
            checkThatItIsEmpty(rawDirectory);
        }
        if (trace.folder() != null) {
            new TraceSaving(world, events, trace).run(points, rawDirectory);
        } else {
            new EventReading(world, events, "read").run(points, Set.of(), rawDirectory);
        }
        return ExitCode.OK;
    }

    private static void checkThatItIsEmpty(Path folder) throws IOException {
        try (DirectoryStream<Path> records = Files.newDirectoryStream(folder, "cpu*.raw")) {
            for (Path each : records) {
                NewFile.check(each);
            }
        }
    }
}
