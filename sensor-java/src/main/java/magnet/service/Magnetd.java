// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.io.PrintWriter;
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
import magnet.config.ConfigException;
import magnet.config.ConfigReader;
import magnet.config.LogLevel;
import magnet.config.MagnetConfig;
import magnet.os.MonotonicClock;
import magnet.publish.ganglia.GangliaSink;
import magnet.publish.ganglia.GmondConfig;
import magnet.publish.ganglia.GmondConfigException;
import magnet.publish.ganglia.SendChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command magnetd. It stays in the foreground: whoever starts it, systemd as a rule, keeps it there. */
@Command(
        name = "magnetd",
        description = {
            "Reads kernel events from the magnet module, summarises them, and publishes the summaries to Ganglia.",
            "",
            "It stays in the foreground and logs to stderr. SIGTERM and SIGINT end it; nothing stays switched on in the"
                    + " kernel, however it ends."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Magnetd.Version.class,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:told to stop, or the configuration is good",
            "1:something that should not happen; the log has the details",
            "2:the command line is wrong",
            "3:another magnetd is running",
            "4:magnet.conf or gmond.conf cannot be used",
            "5:the kernel module is not loaded, or speaks another ABI",
            "6:not enough privileges",
            "7:the kernel module was unloaded meanwhile"
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
            description = "Configuration; /etc/magnet/magnet.conf by default, or what is built in if that is missing.")
    private @Nullable Path configFile;

    @Option(names = "--check-config", description = "Says whether magnet.conf and gmond.conf are good, and ends.")
    private boolean checkConfig;

    @Option(
            names = "--summary",
            paramLabel = "FILE",
            description = "At the end, writes what the run came to into this file, as JSON.")
    private @Nullable Path summaryFile;

    /** What the package says of itself. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"magnetd " + version()};
        }
    }

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    /** The command line, which complains in one line as everything else does. */
    static CommandLine commandLine() {
        return new CommandLine(new Magnetd()).setParameterExceptionHandler(Magnetd::misused);
    }

    private static int misused(ParameterException e, String[] arguments) {
        e.getCommandLine().getErr().println("magnetd: " + what(e) + " (see: magnetd --help)");
        return ExitCode.USAGE.code();
    }

    private static String what(ParameterException e) {
        if (!(e instanceof UnmatchedArgumentException unmatched)) {
            return String.valueOf(e.getMessage());
        }
        List<String> near = unmatched.getSuggestions();
        return "unknown " + (unmatched.isUnknownOption() ? "option" : "argument") + " '"
                + unmatched.getUnmatched().get(0) + "'" + (near.isEmpty() ? "" : "; did you mean " + near.get(0) + "?");
    }

    @Override
    public Integer call() {
        Logging.start(LogLevel.INFO);
        try {
            MagnetConfig config = config();
            GmondConfig gmond = GmondConfig.read(config.gmondConf());
            if (checkConfig) {
                sayGood(config, gmond);
                return ExitCode.OK.code();
            }
            Logging.start(config.logLevel());
            return run(config, gmond).code();
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

    private MagnetConfig config() throws ConfigException {
        if (configFile != null) {
            return ConfigReader.read(configFile);
        }
        if (Files.exists(DEFAULT_CONFIG)) {
            return ConfigReader.read(DEFAULT_CONFIG);
        }
        LOGGER.info("no {}: running with what is built in", DEFAULT_CONFIG);
        return ConfigReader.defaults();
    }

    private void sayGood(MagnetConfig config, GmondConfig gmond) {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        out.println((configFile == null ? DEFAULT_CONFIG : configFile) + ": good");
        out.println(
                config.gmondConf() + (gmond.fallback() ? ": missing, as gmetric then sends to" : ": good, sends to"));
        for (SendChannel channel : gmond.channels()) {
            out.println("    " + channel);
        }
        out.flush();
    }

    private ExitCode run(MagnetConfig config, GmondConfig gmond) throws ServiceException, IOException {
        warn(config, gmond);
        CountDownLatch done = new CountDownLatch(1);
        AtomicInteger exitCode = new AtomicInteger(ExitCode.INTERNAL.code());
        try (SensorKernel kernel = NetlinkKernel.connect()) {
            LOGGER.info("magnetd {}, {}", version(), kernel.facts().description());
            MagnetService service = new MagnetService(
                    config,
                    kernel,
                    GangliaSink.of(gmond, config.publishInterval().toMillis() / 1e3),
                    new MagnetService.Clocks(MonotonicClock.SYSTEM, InstantSource.system(), ProcessStart.instant()),
                    Optional.ofNullable(summaryFile));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(service, done, exitCode), "magnet-stop"));
            writePid(config);
            service.run();
            exitCode.set(ExitCode.OK.code());
            return ExitCode.OK;
        } catch (ServiceException e) {
            exitCode.set(e.exitCode().code());
            throw e;
        } finally {
            removePid(config);
            done.countDown();
        }
    }

    /** Runs when the JVM is told to end: a signal's exit code would be 143, but this was an orderly stop. */
    private static void stop(MagnetService service, CountDownLatch done, AtomicInteger exitCode) {
        service.stop();
        try {
            if (!done.await(STOP_SECONDS, TimeUnit.SECONDS)) {
                LOGGER.error("did not come to an end within {} s", STOP_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(exitCode.get());
    }

    private static void warn(MagnetConfig config, GmondConfig gmond) {
        if (gmond.fallback()) {
            LOGGER.warn(
                    "no {}: sending to {}, as gmetric does",
                    config.gmondConf(),
                    gmond.channels().get(0));
        }
        if (gmond.mute()) {
            LOGGER.warn(
                    "{} has mute = yes, which is for gmond itself: metrics are sent all the same", config.gmondConf());
        }
    }

    private static void writePid(MagnetConfig config) throws IOException {
        if (config.pidFile().isPresent()) {
            Files.writeString(config.pidFile().get(), ProcessHandle.current().pid() + "\n");
        }
    }

    private static void removePid(MagnetConfig config) {
        config.pidFile().ifPresent(file -> {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                LOGGER.debug("cannot remove {}", file, e);
            }
        });
    }

    private static String version() {
        String version = Magnetd.class.getPackage().getImplementationVersion();
        return version == null ? "(unpackaged)" : version;
    }
}
