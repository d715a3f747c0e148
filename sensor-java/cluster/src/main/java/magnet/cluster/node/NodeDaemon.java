// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.node;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import magnet.agent.Tasks;
import magnet.cli.world.VersionProvider;
import magnet.cluster.config.ClusterConfig;
import magnet.cluster.recording.Machine;
import magnet.config.ConfigException;
import magnet.config.LogLevel;
import magnet.os.NotifySocket;
import magnet.os.OsException;
import magnet.recorder.TraceSource;
import magnet.service.ExitCode;
import magnet.service.Logging;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The daemon {@code magnet-node}. It stays in the foreground: whoever starts it, systemd as a rule, keeps it there. */
@Command(
        name = "magnet-node",
        header = "Record on this node when the cluster is told to.",
        description = {
            "",
            "Listens to signed orders of magnet cluster, and does what this node's own magnet.conf allows: [cluster] says"
                    + " which orders it hears, [recording NAME] what it records under which name.",
            "",
            "It stays in the foreground and logs to stderr. SIGTERM and SIGINT end it. A recording that is under way then"
                    + " goes on when it is started again before the recording's end."
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet-node --check-config",
            "      # whether the sections are good; for whoever has changed them",
            "  systemctl enable --now magnet-node",
            "      # the node hears orders from now on",
            "",
            "Read on: ${magnet.docs:-docs}/cluster.md"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:told to stop, the configuration is good, or this node has no role in the cluster",
            "1:something happened that should not happen; the log has the details",
            "2:the command line is wrong",
            "3:the Java virtual machine ran out of memory",
            "4:magnet.conf or the cluster's key cannot be used"
        })
public final class NodeDaemon implements Callable<Integer> {
    private static final Logger LOGGER = LoggerFactory.getLogger(NodeDaemon.class);
    private static final long STOP_SECONDS = 60;
    private static final long LOOK_SECONDS = 5;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Use this configuration. Default: /etc/magnet/magnet.conf")
    private Path configFile = ClusterConfig.FILE;

    @Option(names = "--check-config", description = "Check the sections of the cluster, and exit.")
    private boolean checkConfig;

    /** Runs the daemon and ends the process with its exit code. */
    public static void main(String[] arguments) {
        int exitCode = commandLine().execute(arguments);
        Logging.finish();
        System.exit(exitCode);
    }

    /** The command line: what {@code --help} and the manual page are made of. */
    public static CommandLine commandLine() {
        return new CommandLine(new NodeDaemon()).setParameterExceptionHandler((e, arguments) -> {
            PrintWriter err = e.getCommandLine().getErr();
            err.println("magnet-node: " + e.getMessage() + " (see: magnet-node --help)");
            return ExitCode.USAGE.code();
        });
    }

    @Override
    public Integer call() {
        Logging.start(LogLevel.INFO);
        try {
            ClusterConfig config = ClusterConfig.read(configFile);
            if (checkConfig) {
                System.out.println(configFile + " is valid: " + described(config));
                return ExitCode.OK.code();
            }
            if (!config.records()) {
                LOGGER.info("nothing to do: record = off in [cluster] of {}", configFile);
                // A unit that ends before it is ready has failed.
                tell("READY=1");
                return ExitCode.OK.code();
            }
            return run(config);
        } catch (ConfigException e) {
            LOGGER.error("{}", e.getMessage());
            return ExitCode.CONFIGURATION.code();
        }
    }

    private static String described(ClusterConfig config) {
        return (config.records()
                        ? "hears orders at " + config.address().getHostString() + ":"
                                + config.address().getPort()
                        : "this node does not record")
                + "; recordings: "
                + String.join(", ", config.profiles().keySet().stream().sorted().toList());
    }

    private static int run(ClusterConfig config) {
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicInteger exitCode = new AtomicInteger(ExitCode.INTERNAL.code());
        Tasks.atShutdown("magnet-stop", () -> {
            stopped.countDown();
            try {
                // The JVM ends when this does.
                boolean unused = ended.await(STOP_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Logging.finish();
            Runtime.getRuntime().halt(exitCode.get());
        });
        try (ClusterNode node = ClusterNode.open(config, Machine.running(TraceSource.host(Path.of("/proc"))))) {
            LOGGER.info(
                    "hears orders at {}:{}",
                    config.address().getHostString(),
                    config.address().getPort());
            tell("READY=1");
            await(node, stopped);
            exitCode.set(ExitCode.OK.code());
        } catch (IOException e) {
            LOGGER.error("{}", e.getMessage());
            exitCode.set(ExitCode.CONFIGURATION.code());
        } finally {
            ended.countDown();
        }
        return exitCode.get();
    }

    private static void await(ClusterNode node, CountDownLatch stopped) {
        try {
            while (!stopped.await(LOOK_SECONDS, TimeUnit.SECONDS)) {
                node.health().complaint().ifPresent(complaint -> tell("STATUS=" + complaint));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        tell("STOPPING=1");
    }

    /** Tells whoever started it, systemd as a rule. */
    private static void tell(String state) {
        @Nullable String where = System.getenv("NOTIFY_SOCKET");
        Optional.ofNullable(where).filter(each -> !each.isEmpty()).ifPresent(each -> {
            try (NotifySocket socket = NotifySocket.open(each)) {
                socket.send(state);
            } catch (OsException e) {
                LOGGER.debug("nobody is told {}: {}", state, e.getMessage());
            }
        });
    }
}
