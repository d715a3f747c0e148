// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import magnet.agent.Tasks;
import magnet.config.ConfigException;
import magnet.config.LogLevel;
import magnet.config.MagnetConfig;
import magnet.config.NearestName;
import magnet.os.BrokenPipe;
import magnet.os.Hangup;
import magnet.os.MonotonicClock;
import magnet.publish.ganglia.GmondConfigException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command magnetd. It stays in the foreground: whoever starts it, systemd as a rule, keeps it there. */
@Command(
        name = "magnetd",
        header = "Summarise kernel events for Ganglia.",
        description = {
            "",
            "Reads kernel events from the magnet module, summarises them, and publishes the summaries to Ganglia.",
            "",
            "It stays in the foreground and logs to stderr. SIGTERM and SIGINT end it; nothing stays switched on in the"
                    + " kernel, however it ends. SIGHUP lets it read its configuration again, which it also does when"
                    + " one of the configuration's files has changed. It tells systemd, or whatever NOTIFY_SOCKET names, how it is."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Magnetd.Version.class,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnetd --check-config",
            "      # whether the configuration is good; for whoever has changed it",
            "  systemctl reload magnetd",
            "      # the service takes the changed configuration, and loses no event",
            "",
            "Read on: ${magnet.docs:-docs}/operating.md"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:told to stop, or the configuration is good",
            "1:something happened that should not happen; the log has the details",
            "2:the command line is wrong",
            "3:the Java virtual machine ran out of memory",
            "4:magnet.conf or gmond.conf cannot be used",
            "5:the kernel module is not loaded, or speaks another ABI",
            "6:not enough privileges",
            "7:the kernel module was unloaded meanwhile",
            "8:another magnetd is running"
        })
public final class Magnetd implements Callable<Integer> {
    private static final Logger LOGGER = LoggerFactory.getLogger(Magnetd.class);
    private static final Path DEFAULT_CONFIG = Path.of("/etc/magnet/magnet.conf");
    /** Unhooking a function waits for all CPUs, and on a busy machine seconds for each. */
    private static final long STOP_SECONDS = 60;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Use this configuration. Default: /etc/magnet/magnet.conf, or the built-in one if that is"
                    + " missing.")
    private @Nullable Path configFile;

    @Option(names = "--check-config", description = "Check magnet.conf, gmond.conf and own handlers, and exit.")
    private boolean checkConfig;

    @Option(
            names = "--summary",
            paramLabel = "FILE",
            description = "At the end, write a summary of the run to this file, as JSON.")
    private @Nullable Path summaryFile;

    private final ServiceLife.RunConnector connector;

    /** The command as it is run, which whoever documents it may look at. */
    public Magnetd() {
        this(config -> NetlinkKernel.connect());
    }

    /** @param connector connects each run to the module */
    Magnetd(ServiceLife.RunConnector connector) {
        this.connector = connector;
    }

    /** What the package says of itself. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"magnetd " + version()};
        }
    }

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        CommandLine commandLine = new Magnetd().commandLine();
        int exitCode = run(commandLine, new FileOutputStream(FileDescriptor.out), arguments);
        Logging.finish();
        System.exit(exitCode);
    }

    /**
     * Runs the command, and prints what it has to say when it is through.
     *
     * @param out where to, which unlike System.out says when it cannot be written
     */
    static int run(CommandLine commandLine, OutputStream out, String... arguments) {
        StringWriter text = new StringWriter();
        int exitCode = commandLine.setOut(new PrintWriter(text)).execute(arguments);
        try {
            out.write(text.toString().getBytes(StandardCharsets.UTF_8));
            out.flush();
            return exitCode;
        } catch (IOException e) {
            if (BrokenPipe.is(e)) {
                return exitCode;
            }
            commandLine.getErr().println("magnetd: cannot write what was asked for: " + e.getMessage());
            return ExitCode.INTERNAL.code();
        }
    }

    /** The command line, which complains in one line as everything else does. */
    CommandLine commandLine() {
        return new CommandLine(this).setParameterExceptionHandler(new OnMisuse());
    }

    /** A class with a name: see magnet.cli.Misuse. */
    private static final class OnMisuse implements IParameterExceptionHandler {
        @Override
        public int handleParseException(ParameterException e, String[] arguments) {
            e.getCommandLine().getErr().println("magnetd: " + what(e) + " (see: magnetd --help)");
            return ExitCode.USAGE.code();
        }
    }

    private static String what(ParameterException e) {
        if (!(e instanceof UnmatchedArgumentException unmatched)) {
            return String.valueOf(e.getMessage());
        }
        String given = unmatched.getUnmatched().get(0);
        if (!unmatched.isUnknownOption()) {
            return "unknown argument '" + given + "'";
        }
        List<String> options = e.getCommandLine().getCommandSpec().options().stream()
                .map(OptionSpec::longestName)
                .toList();
        return "unknown option '" + given + "'"
                + NearestName.near(given, options)
                        .map(near -> "; did you mean " + near + "?")
                        .orElse("");
    }

    @Override
    public Integer call() {
        Logging.start(LogLevel.INFO);
        try {
            SetupFiles files = new SetupFiles(Optional.ofNullable(configFile), DEFAULT_CONFIG);
            Setup setup = files.read();
            if (checkConfig) {
                return check(files, setup).code();
            }
            if (!Files.exists(files.magnetConf())) {
                LOGGER.info("no {}: running with what is built in", files.magnetConf());
            }
            return run(files, setup).code();
        } catch (ConfigException | GmondConfigException e) {
            LOGGER.error("{}", e.getMessage());
            return ExitCode.CONFIGURATION.code();
        } catch (ServiceException e) {
            if (e.exitCode() == ExitCode.MODULE_GONE) {
                // Somebody asked for it: "magnet unload" ends whoever reads.
                LOGGER.warn("{}", e.getMessage());
            } else {
                LOGGER.error("{}", e.getMessage());
            }
            LOGGER.debug("cause", e);
            return e.exitCode().code();
        } catch (IOException | RuntimeException e) {
            LOGGER.error("should not happen: {}", e.toString(), e);
            return ExitCode.INTERNAL.code();
        }
    }

    private ExitCode check(SetupFiles files, Setup setup) {
        List<String> complaints = CheckedSetup.complaints(setup.magnet().handlers());
        complaints.forEach(line -> LOGGER.error("{}", line));
        if (!complaints.isEmpty()) {
            return ExitCode.CONFIGURATION;
        }
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        out.print(CheckedSetup.text(files, setup));
        out.flush();
        return ExitCode.OK;
    }

    private ExitCode run(SetupFiles files, Setup setup) throws ServiceException, IOException {
        CountDownLatch done = new CountDownLatch(1);
        AtomicInteger exitCode = new AtomicInteger(ExitCode.INTERNAL.code());
        try {
            LOGGER.info("magnetd {}", version());
            Affinity affinity = new Affinity();
            PidFile pid = new PidFile(setup.magnet().pidFile());
            ServiceLife life = new ServiceLife(
                    files,
                    setup,
                    config -> connect(config, affinity),
                    new MagnetService.Clocks(MonotonicClock.SYSTEM, InstantSource.system(), ProcessStart.instant()),
                    ServiceManager.of(System.getenv(), ProcessHandle.current().pid(), MonotonicClock.SYSTEM),
                    pid,
                    Optional.ofNullable(summaryFile));
            Tasks.atShutdown("magnet-stop", () -> stop(life, done, exitCode));
            if (!Hangup.onHangup(life::reload)) {
                LOGGER.warn(
                        "SIGHUP is ignored, as magnetd was started (nohup, java -Xrs); configuration is read again when"
                                + " its files change");
            }
            try {
                life.run();
            } finally {
                pid.remove();
            }
            exitCode.set(ExitCode.OK.code());
            return ExitCode.OK;
        } catch (ServiceException e) {
            exitCode.set(e.exitCode().code());
            throw e;
        } finally {
            done.countDown();
        }
    }

    private SensorKernel connect(MagnetConfig config, Affinity affinity) throws ServiceException {
        Logging.start(config.logLevel());
        affinity.use(config.affinity());
        return connector.connect(config);
    }

    /** Runs when the JVM is told to end: a signal's exit code would be 143, but this was an orderly stop. */
    private static void stop(ServiceLife life, CountDownLatch done, AtomicInteger exitCode) {
        life.stop();
        try {
            if (!done.await(STOP_SECONDS, TimeUnit.SECONDS)) {
                LOGGER.error("did not come to an end within {} s", STOP_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Logging.finish();
        Runtime.getRuntime().halt(exitCode.get());
    }

    /** The version that the build put into the jar. */
    static String version() {
        String version = Magnetd.class.getPackage().getImplementationVersion();
        return version == null ? "(unpackaged)" : version;
    }
}
