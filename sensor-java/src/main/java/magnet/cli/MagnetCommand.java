// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import magnet.cli.adapt.AdaptCommand;
import magnet.cli.aggregate.CountCommand;
import magnet.cli.aggregate.HistCommand;
import magnet.cli.bench.BenchCommand;
import magnet.cli.check.CheckCommand;
import magnet.cli.dump.DumpCommand;
import magnet.cli.module.BuffersCommand;
import magnet.cli.module.FiltersCommand;
import magnet.cli.module.PointsCommand;
import magnet.cli.module.StatusCommand;
import magnet.cli.module.UnloadCommand;
import magnet.cli.top.TopCommand;
import magnet.cli.trace.ExportCommand;
import magnet.cli.trace.ReadCommand;
import magnet.cli.trace.ReportCommand;
import magnet.cli.trace.WatchCommand;
import magnet.cli.world.Complaint;
import magnet.cli.world.Interruption;
import magnet.cli.world.Output;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The command {@code magnet}: its subcommands, and what becomes of their errors. */
@Command(
        name = "magnet",
        header = "See what the kernel does, event by event.",
        description = {
            "",
            "Asks and reads the magnet kernel module. What a command switches on ends with it, unless"
                    + " its own page says that it stays."
        },
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all went well", "1:it did not; one line says why", "2:the command line is wrong"},
        commandListHeading = "%nCommands:%n")
public final class MagnetCommand implements Runnable {
    /** The subcommands, in the order in which the help lists them, by the names that they give themselves. */
    private static final List<String> SUBCOMMANDS = List.of(
            "status",
            "check",
            "points",
            "filters",
            "buffers",
            "read",
            "watch",
            "count",
            "hist",
            "dump",
            "top",
            "adapt",
            "report",
            "export",
            "supermon",
            "bench",
            "unload");

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }

    /** Runs a command and ends the JVM with its exit code. */
    public static void main(String[] args) {
        Interruption interruption = Interruption.installed();
        int exitCode = run(World.real(interruption), args);
        interruption.finished(exitCode);
        System.exit(exitCode);
    }

    /** Runs a command and returns its exit code. */
    static int run(World world, String... args) {
        StringWriter help = new StringWriter();
        StringWriter complaint = new StringWriter();
        CommandLine commandLine = commandLine(world, args)
                .setOut(new PrintWriter(help))
                .setErr(new PrintWriter(complaint))
                .setParameterExceptionHandler(new OnMisuse())
                .setExecutionExceptionHandler(new OnFailure(world));
        int exitCode = commandLine.execute(args);
        try {
            print(world.out(), help.toString());
        } catch (Output.ClosedException e) {
            exitCode = unwritten(world, e);
        }
        try {
            print(world.err(), complaint.toString());
        } catch (Output.ClosedException e) {
            // Nobody can be told: the exit code has to say it.
        }
        return exitCode;
    }

    /** The command line with all its subcommands. */
    static CommandLine commandLine(World world) {
        return commandLine(world, SUBCOMMANDS);
    }

    /** The command line with what these arguments need: picocli takes longer for all commands than any of them for itself. */
    private static CommandLine commandLine(World world, String[] args) {
        boolean knownAtOnce = args.length > 0 && SUBCOMMANDS.contains(args[0]);
        return commandLine(world, knownAtOnce ? List.of(args[0]) : SUBCOMMANDS);
    }

    private static CommandLine commandLine(World world, List<String> names) {
        CommandLine commandLine = new CommandLine(new MagnetCommand());
        for (String name : names) {
            commandLine.addSubcommand(subcommand(name, world));
        }
        return Misuse.withTypes(commandLine).setCaseInsensitiveEnumValuesAllowed(true);
    }

    /** A switch, so that no class but the one that is needed is loaded. */
    private static Object subcommand(String name, World world) {
        return switch (name) {
            case "status" -> new StatusCommand(world);
            case "check" -> new CheckCommand(world);
            case "points" -> new PointsCommand(world);
            case "filters" -> new FiltersCommand(world);
            case "buffers" -> new BuffersCommand(world);
            case "read" -> new ReadCommand(world);
            case "watch" -> new WatchCommand(world);
            case "count" -> new CountCommand(world);
            case "hist" -> new HistCommand(world);
            case "dump" -> new DumpCommand(world);
            case "top" -> new TopCommand(world);
            case "adapt" -> new AdaptCommand(world);
            case "report" -> new ReportCommand(world);
            case "export" -> new ExportCommand(world);
            case "supermon" -> new SupermonCommand(world);
            case "bench" -> new BenchCommand(world);
            case "unload" -> new UnloadCommand(world);
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** A class with a name, as in {@link Misuse}. */
    private static final class OnMisuse implements IParameterExceptionHandler {
        @Override
        public int handleParseException(ParameterException e, String[] args) {
            e.getCommandLine().getErr().println("magnet: " + Misuse.line(e));
            return ExitCode.USAGE;
        }
    }

    private static final class OnFailure implements IExecutionExceptionHandler {
        private final World world;

        OnFailure(World world) {
            this.world = world;
        }

        @Override
        public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
            return failed(world, e);
        }
    }

    private static void print(Output output, String text) throws Output.ClosedException {
        if (!text.isEmpty()) {
            output.line(text.stripTrailing());
        }
        output.flush();
    }

    private static int failed(World world, Exception e) {
        if (e instanceof Output.ClosedException closed) {
            return unwritten(world, closed);
        }
        try {
            world.out().flush();
        } catch (Output.ClosedException closed) {
            unwritten(world, closed);
        }
        boolean expected = e instanceof IOException || e instanceof UncheckedIOException;
        tell(world, expected ? Complaint.about(e) : "internal error: " + e + "\n" + trace(e));
        return ExitCode.SOFTWARE;
    }

    private static String trace(Exception e) {
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    /** Printing has come to its end before the command has. Returns the exit code. */
    private static int unwritten(World world, Output.ClosedException e) {
        if (e.isByReader()) {
            return ExitCode.OK;
        }
        tell(world, String.valueOf(e.getMessage()));
        return ExitCode.SOFTWARE;
    }

    private static void tell(World world, String line) {
        try {
            world.tell(line);
        } catch (Output.ClosedException e) {
            // Nobody can be told: the exit code has to say it.
        }
    }
}
