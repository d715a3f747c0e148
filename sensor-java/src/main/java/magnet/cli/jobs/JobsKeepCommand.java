// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import magnet.cli.world.DurationOption;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.os.ProcessSignal;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code magnet jobs keep}: keeps processes of gtrace's tasks in the tasks' cgroups. */
@Command(
        name = "keep",
        header = "Keep processes of gtrace's tasks in their cgroups.",
        description = {
            "",
            "No process can leave its task of gtrace, but a process may be moved to another cgroup, where the task's limits"
                    + " do not hold and its freezer does not reach. The module tells each such move. This command waits for"
                    + " that, and moves the process back, kills it, or just says so. It begins with those that are outside"
                    + " already.",
            "",
            "A task's cgroup is the one of its first process, or the one that the order \"cgroup TASK PATH\" names."
                    + " Prints a line for each process, and runs until Ctrl-C. Needs root and the module magnet_gtrace."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet jobs keep",
            "      # whoever leaves its task's cgroup is returned to it",
            "  sudo magnet jobs keep --on-escape=kill gtrace:render --json",
            "      # in this task nobody leaves alive; for programs",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/gtrace.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class JobsKeepCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..*",
            paramLabel = "NAME",
            description = "Tasks, as \"magnet jobs\" lists them. Default: all.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--on-escape",
            paramLabel = "ACTION",
            description = "What to do with a process that has left: return, kill, or tell. Default: return.")
    private EscapeAction action = EscapeAction.RETURN;

    @Mixin
    private final DurationOption duration = new DurationOption(DurationOption.USUAL);

    @Option(names = "--json", description = "Print one JSON object per line, for each process.")
    private boolean json;

    private final World world;

    JobsKeepCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        Escapes escapes = new Escapes(world, Gtrace.of(world), tasks(), action, json, ProcessSignal.KILL::send);
        new JobsKeeping(world, escapes, duration).run();
        return ExitCode.OK;
    }

    private Set<String> tasks() {
        Set<String> tasks = new LinkedHashSet<>();
        for (String name : names) {
            tasks.add(name.startsWith(PresentJobs.GTRACE) ? name.substring(PresentJobs.GTRACE.length()) : name);
        }
        return tasks;
    }
}
