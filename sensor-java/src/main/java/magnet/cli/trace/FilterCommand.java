// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.trace.RuleForm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code magnet filter}: a saved trace with those events of another one that rules let through. */
@Command(
        name = "filter",
        header = "Save the events of a trace that rules let through as another trace.",
        description = {
            "",
            "Reads a trace of \"magnet read -o\", or all its parts, or the traces of a run: a folder with a folder for"
                    + " each node. Saves what the rules let through in the same form, so that \"magnet report\","
                    + " babeltrace2 and this command read it. The rules mean what they mean in \"magnet report"
                    + " --filter\".",
            "",
            "Records that say what was lost stay, and so do events that name threads or tell the owners of processes"
                    + " (" + ReadOn.DOCS + "/traces.md). The last line counts those that a rule would drop. The"
                    + " command needs neither the module nor root. It leaves out damaged and cut-off parts and says so."
                    + " If it cannot read a file, it says so, too, and the exit code is 1."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet filter /tmp/trace -o /tmp/one 'drop if tgid != 4711'",
            "      # the events of one process",
            "  magnet filter /tmp/trace -o /tmp/few 'log if cpu == 0; sample 100'",
            "      # all of CPU 0, and one in a hundred elsewhere",
            "  magnet filter /tmp/node1 /tmp/node2 -o /tmp/large --filter \\",
            "      'drop if len < 1000'",
            "      # /tmp/large/node1 and /tmp/large/node2",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/traces.md, " + ReadOn.DOCS + "/control.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class FilterCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "TRACE... [RULES]",
            arity = "1..*",
            hideParamSyntax = true,
            description = "The folders of traces or of runs, and behind them the rules, with ; between them (\"magnet"
                    + " help rules\"). With --filter there are no RULES.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private List<String> arguments;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FOLDER",
            required = true,
            description = "Save the trace in FOLDER. The command makes FOLDER; if FOLDER exists, it must be empty. If"
                    + " there are several traces, each has a folder of its name in FOLDER.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path output;

    @Option(
            names = "--filter",
            paramLabel = "RULE",
            description = "A rule that decides which events are saved, in place of RULES; several rules apply in their"
                    + " order, to each kind of event.")
    private List<String> filters = List.of();

    @Option(names = "--json", description = "Print one JSON object with the numbers (" + ReadOn.DOCS + "/traces.md).")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public FilterCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        boolean asOption = !filters.isEmpty();
        int last = arguments.size() - 1;
        List<Path> folders = arguments.subList(0, asOption ? last + 1 : last).stream()
                .map(Path::of)
                .toList();
        String rules = asOption ? String.join(";", filters) : arguments.get(last);
        if (!asOption && Files.isDirectory(Path.of(rules))) {
            throw misuse("RULES are missing behind " + rules);
        }
        if (folders.isEmpty()) {
            throw misuse("TRACE is missing before " + rules);
        }
        RuleForm.check(List.of(rules));
        if (rules.chars().allMatch(c -> c == ';' || Character.isWhitespace(c))) {
            throw misuse("there is no rule in '" + rules + "'; to keep all events, write log");
        }
        TraceFolders found = TraceFolders.in(folders);
        for (Path folder : folders) {
            checkOutside(folder);
        }
        for (Path folder : found.traces().values()) {
            checkOutside(folder);
        }
        return new TraceFiltering(world, output, rules).run(found, json);
    }

    /** Those who read the trace would take what is in it for a part. */
    private void checkOutside(Path folder) throws IOException {
        if (place(output).startsWith(folder.toRealPath())) {
            throw misuse("-o " + output + " is inside of " + folder + ", which is read; name another folder");
        }
    }

    private ParameterException misuse(String line) {
        return new ParameterException(spec.commandLine(), line);
    }

    /** Where it will be, without links. */
    private static Path place(Path folder) throws IOException {
        Path absolute = folder.toAbsolutePath().normalize();
        for (Path above = absolute; above != null; above = above.getParent()) {
            if (Files.exists(above)) {
                return above.toRealPath().resolve(above.relativize(absolute));
            }
        }
        return absolute;
    }
}
