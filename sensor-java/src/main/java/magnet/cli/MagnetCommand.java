// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import magnet.cli.adapt.AdaptCommand;
import magnet.cli.aggregate.CountCommand;
import magnet.cli.aggregate.HistCommand;
import magnet.cli.bench.BenchCommand;
import magnet.cli.check.CheckCommand;
import magnet.cli.check.NagiosLine;
import magnet.cli.dump.DumpCommand;
import magnet.cli.dump.TcpdumpLetters;
import magnet.cli.jobs.JobsCommand;
import magnet.cli.module.BuffersCommand;
import magnet.cli.module.FiltersCommand;
import magnet.cli.module.LoadCommand;
import magnet.cli.module.PointsCommand;
import magnet.cli.module.StatusCommand;
import magnet.cli.module.UnloadCommand;
import magnet.cli.record.RecordCommand;
import magnet.cli.top.TopCommand;
import magnet.cli.trace.ExportCommand;
import magnet.cli.trace.FilterCommand;
import magnet.cli.trace.ReadCommand;
import magnet.cli.trace.ReportCommand;
import magnet.cli.trace.WatchCommand;
import magnet.cli.world.Complaint;
import magnet.cli.world.HelpFooter;
import magnet.cli.world.Interruption;
import magnet.cli.world.Output;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.trace.RuleException;
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
            "These commands control the magnet kernel module and read its events. At its end a command switches off"
                    + " what it switched on, unless its own page says otherwise."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet check",
            "      # what works for you on this node, and what to do about the rest",
            "  sudo magnet top",
            "      # what happens now",
            "  magnet help read",
            "      # the options of one command; \"magnet help rules\" explains rules",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/commands.md, " + ReadOn.DOCS + "/operating.md"
        },
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all went well", "1:something failed; one line says why", "2:the command line is wrong"},
        commandListHeading = "%nCommands:%n")
public final class MagnetCommand implements Runnable {
    private static final String HELP = "help";
    private static final String RECORD = "record";
    private static final String JOBS = "jobs";
    /** picocli's least. */
    private static final int NARROWEST_HELP = 55;
    /** Longer lines are hard to read. */
    private static final int WIDEST_HELP = 100;

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
            RECORD,
            "top",
            JOBS,
            "adapt",
            "report",
            "filter",
            "export",
            "supermon",
            "bench",
            "load",
            "unload",
            HELP,
            "version");

    private static final String NAGIOS = "--nagios";

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
                .setExecutionExceptionHandler(new OnFailure(world))
                .setExecutionStrategy(OldNames.refusingBoth());
        prepareHelp(commandLine, world, List.of(args));
        int exitCode = commandLine.execute(understood(commandLine, args));
        try {
            print(world.out(), help.toString());
        } catch (Output.ClosedException e) {
            exitCode = unwritten(world, e);
        }
        try {
            print(world.err(), world.message(complaint.toString().stripTrailing()));
        } catch (Output.ClosedException e) {
            // Nobody can be told: the exit code has to say it.
        }
        return exitCode;
    }

    /** The command line with all its subcommands. */
    static CommandLine commandLine(World world) {
        CommandLine commandLine = commandLine(world, SUBCOMMANDS);
        for (CommandProvider each : ServiceLoader.load(CommandProvider.class)) {
            commandLine.addSubcommand(each.commandLine(world));
        }
        return prepared(commandLine);
    }

    /** The command line with what these arguments need: picocli takes longer for all commands than any of them for itself. */
    private static CommandLine commandLine(World world, String[] args) {
        boolean knownAtOnce = args.length > 0 && SUBCOMMANDS.contains(args[0]) && !args[0].equals(HELP);
        if (knownAtOnce) {
            return commandLine(world, List.of(args[0]));
        }
        for (CommandProvider each : ServiceLoader.load(CommandProvider.class)) {
            if (args.length > 0 && args[0].equals(each.name())) {
                return prepared(new CommandLine(new MagnetCommand()).addSubcommand(each.commandLine(world)));
            }
        }
        return commandLine(world);
    }

    private static CommandLine commandLine(World world, List<String> names) {
        CommandLine commandLine = new CommandLine(new MagnetCommand());
        for (String name : names) {
            CommandLine subcommand = commandLine(world, name);
            OldNames.addTo(subcommand.getCommandSpec(), world);
            commandLine.addSubcommand(subcommand);
        }
        return prepared(commandLine);
    }

    private static CommandLine prepared(CommandLine commandLine) {
        return Misuse.withTypes(commandLine).setCaseInsensitiveEnumValuesAllowed(true);
    }

    private static CommandLine commandLine(World world, String name) {
        return switch (name) {
            case RECORD -> RecordCommand.commandLine(world);
            case JOBS -> JobsCommand.commandLine(world);
            default -> new CommandLine(subcommand(name, world));
        };
    }

    /** Nobody else needs to know how wide the terminal is: to ask takes native code. */
    private static void prepareHelp(CommandLine commandLine, World world, List<String> args) {
        boolean asked = args.contains("--help") || args.contains("-h") || args.contains(HELP);
        if (asked && !args.isEmpty()) {
            HelpFooter.addTo(commandLine);
            ReadOn.setCommand(page(commandLine, args));
            world.screen()
                    .get()
                    .ifPresent(screen -> commandLine.setUsageHelpWidth(
                            Math.max(NARROWEST_HELP, Math.min(screen.columns(), WIDEST_HELP))));
        }
    }

    /** The manual page of what the help is asked for: a command's, or that of a command below it. */
    private static String page(CommandLine commandLine, List<String> args) {
        CommandLine record = commandLine.getSubcommands().get(args.get(0));
        boolean below =
                record != null && args.size() > 1 && record.getSubcommands().containsKey(args.get(1));
        return below ? args.get(0) + "-" + args.get(1) : args.get(0);
    }

    /** The arguments as picocli takes them. */
    private static String[] understood(CommandLine commandLine, String[] args) {
        if (args.length == 0 || !args[0].equals("dump")) {
            return args;
        }
        CommandLine dump = Objects.requireNonNull(commandLine.getSubcommands().get("dump"));
        List<String> arguments = new ArrayList<>(List.of("dump"));
        arguments.addAll(
                TcpdumpLetters.understood(dump.getCommandSpec(), List.of(args).subList(1, args.length)));
        return arguments.toArray(new String[0]);
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
            case "filter" -> new FilterCommand(world);
            case "export" -> new ExportCommand(world);
            case "supermon" -> new SupermonCommand(world);
            case "bench" -> new BenchCommand(world);
            case "load" -> new LoadCommand(world);
            case "unload" -> new UnloadCommand(world);
            case HELP -> new HelpCommand(world);
            case "version" -> new VersionCommand(world);
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** Whether it is a plugin of Nagios that is run, which says everything on its output. */
    private static boolean asksNagios(CommandLine command, List<String> arguments) {
        return command.getCommandSpec().findOption(NAGIOS) != null && arguments.contains(NAGIOS);
    }

    /** A class with a name, as in {@link Misuse}. */
    private static final class OnMisuse implements IParameterExceptionHandler {
        @Override
        public int handleParseException(ParameterException e, String[] args) {
            if (asksNagios(e.getCommandLine(), Arrays.asList(args))) {
                // Nagios takes 2 for CRITICAL, and reads what is printed.
                NagiosLine line = NagiosLine.unknown(Misuse.line(e));
                e.getCommandLine().getOut().println(line);
                return line.exitCode();
            }
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
            if (asksNagios(command, parsed.originalArgs()) && !(e instanceof Output.ClosedException)) {
                return unknown(world, e);
            }
            return failed(world, e);
        }

        private static int unknown(World world, Exception e) {
            NagiosLine line = NagiosLine.unknown(Complaint.about(e));
            try {
                world.out().line(line.toString());
            } catch (Output.ClosedException closed) {
                unwritten(world, closed);
            }
            return line.exitCode();
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
        if (e instanceof RuleException) {
            tell(world, e.getMessage() + " (see: magnet help rules)");
            return ExitCode.USAGE;
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
