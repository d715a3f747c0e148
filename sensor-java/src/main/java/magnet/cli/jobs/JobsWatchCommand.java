// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import magnet.cli.world.CountOption;
import magnet.cli.world.IntervalOption;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code magnet jobs watch}: the list of jobs, again and again. */
@Command(
        name = "watch",
        header = "Show the jobs again and again.",
        description = {
            "",
            "Prints the list of \"magnet jobs\" in each interval. On a terminal it draws the list in place until q or"
                    + " Ctrl-C; elsewhere, or with --batch, it prints each list as a block of plain text. CPU %%, WAIT %%"
                    + " and WAITED FOR change as often as magnetd publishes."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet jobs watch",
            "      # the jobs now, drawn in place",
            "  magnet jobs watch -n 3 -i 5s --json",
            "      # three lists, five seconds apart, for programs",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/jobs.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class JobsWatchCommand implements Callable<Integer> {
    private static final Duration USUAL = Duration.ofSeconds(2);

    @Mixin
    private final IntervalOption interval =
            new IntervalOption("Time from one list to the next, 0.1s to 1h. Default: 2 seconds.");

    @Mixin
    private final CountOption count = new CountOption("End after COUNT lists.");

    @Option(
            names = {"-b", "--batch"},
            description = "Write blocks of plain text, even to a terminal.")
    private boolean batch;

    @Option(names = "--json", description = "Print one JSON object per line, for each list.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    JobsWatchCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        interval.check(spec.commandLine());
        count.check(spec.commandLine());
        boolean drawn = !batch && !json && world.screen().get().isPresent();
        JobsShown shown = drawn ? new DrawnJobs(world) : new PrintedJobs(world, json);
        new JobsWatching(world, shown, interval.orElse(USUAL), count.most()).run();
        return ExitCode.OK;
    }
}
