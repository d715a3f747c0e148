// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.config.ListenAddress;
import magnet.config.Network;
import magnet.config.Networks;
import magnet.publish.supermon.ReplyFormat;
import magnet.publish.supermon.SupermonConcentrator;
import magnet.publish.supermon.SupermonSettings;
import magnet.publish.supermon.SupermonSink;
import magnet.unit.TimeSpan;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code magnet supermon}: a concentrator of Supermon. */
@Command(
        name = "supermon",
        header = "Answer clients of Supermon with the samples of many nodes.",
        description = {
            "",
            "Whenever a client asks, the command asks servers that speak Supermon's protocol (magnetd on other nodes,"
                    + " or further concentrators) and puts their records together as they came. It leaves out a server"
                    + " that is late or not there until that server answers again; the category supermon counts them.",
            "",
            "The protocol knows no password: --allow says from where clients may come."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet supermon node01 node02",
            "      # both nodes, for clients on this machine",
            "  magnet supermon -l 0.0.0.0 -a 10.0.0.0/8 node01 node02:2710",
            "      # the same for clients of a network",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/supermon.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class SupermonCommand implements Callable<Integer> {
    private static final Pattern SERVER = Pattern.compile("(?:\\[([^\\[\\]]+)]|([^\\[\\]:]+))(?::(\\d{1,5}))?");
    private static final int LAST_PORT = 65_535;
    private static final int MOST = 1_024;

    @Parameters(
            arity = "1..*",
            paramLabel = "SERVER",
            description = "A server to ask: its name or address (IPv6 in brackets), and its port if that is not 2709,"
                    + " such as node07 or 10.0.4.7:2710.")
    private List<String> servers = new ArrayList<>();

    @Option(
            names = {"-l", "--listen"},
            paramLabel = "ADDRESS",
            description = "Answer clients at this address, with a port if it is not 2709. Default: 127.0.0.1.")
    private String listen = "127.0.0.1";

    @Option(
            names = {"-a", "--allow"},
            split = ",",
            paramLabel = "NETWORK",
            description = "Answer clients from this network, such as 10.0.0.0/8; may be given several times. Default:"
                    + " this machine.")
    private List<String> allow = List.of("127.0.0.0/8", "::1/128");

    @Option(
            names = "--clients",
            paramLabel = "COUNT",
            description = "Hold at most COUNT connections, 1 to 1024, and close further ones at once. Default: 64.")
    private int clients = 64;

    @Option(
            names = {"-f", "--format"},
            paramLabel = "SHAPE",
            description = "The shape of the servers' samples: lanl or linuxlabs. Default: lanl.")
    private ReplyFormat format = ReplyFormat.LANL;

    @Option(
            names = {"-t", "--timeout"},
            paramLabel = "TIME",
            description = "Wait this long for a server. Default: 0.5 seconds. The command does not wait again for a"
                    + " server that was late until that server has answered.")
    private TimeSpan timeout = new TimeSpan(Duration.ofMillis(500));

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Begins to answer, as {@link SupermonConcentrator#open} does. */
    interface Opener {
        SupermonConcentrator open(
                SupermonSettings settings, List<InetSocketAddress> children, Duration deadline, Runnable onFailure)
                throws IOException;
    }

    private final World world;
    private final Opener opener;

    SupermonCommand(World world) {
        this(world, SupermonConcentrator::open);
    }

    SupermonCommand(World world, Opener opener) {
        this.world = world;
        this.opener = opener;
    }

    @Override
    public Integer call() throws IOException {
        SupermonSettings settings = settings();
        List<InetSocketAddress> children = children();
        CountDownLatch end = new CountDownLatch(1);
        world.interruption().onInterrupt(end::countDown);
        try (SupermonConcentrator concentrator = opener.open(settings, children, waiting(), end::countDown)) {
            world.tell(SupermonSink.describe(concentrator.address()) + " answers for "
                    + Counted.of(children.size(), "server"));
            end.await();
            Throwable failure = concentrator.failure().orElse(null);
            if (failure != null) {
                throw new Failure("nobody is answered any more, by a fault of magnet's own: " + failure);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ExitCode.OK;
    }

    private SupermonSettings settings() {
        InetSocketAddress address = ListenAddress.parse(listen, ListenAddress.SUPERMON_PORT)
                .orElseThrow(() -> wrong("--listen wants an address of this machine, with a port or without, such as"
                        + " 127.0.0.1 or [::]:2709, not '" + listen + "'"));
        Networks networks = new Networks(allow.stream().map(this::network).toList());
        if (clients < 1 || clients > MOST) {
            throw wrong("--clients wants a number from 1 to " + MOST + ", not '" + clients + "'");
        }
        return new SupermonSettings(address, networks, clients, format);
    }

    private Network network(String text) {
        return Network.parse(text.strip())
                .orElseThrow(
                        () -> wrong("--allow wants addresses and networks, such as 10.0.0.0/8, not '" + text + "'"));
    }

    private Duration waiting() {
        return Duration.ofNanos(timeout.nanos());
    }

    private List<InetSocketAddress> children() throws IOException {
        if (servers.size() > MOST) {
            throw wrong("at most " + MOST + " servers; let further concentrators ask the others");
        }
        List<InetSocketAddress> children = new ArrayList<>();
        for (String server : servers) {
            children.add(child(server));
        }
        return children;
    }

    private InetSocketAddress child(String server) throws IOException {
        Matcher matcher = SERVER.matcher(server);
        int port = matcher.matches() && matcher.group(3) != null
                ? Integer.parseInt(matcher.group(3))
                : ListenAddress.SUPERMON_PORT;
        if (!matcher.matches() || port < 1 || port > LAST_PORT) {
            throw wrong("SERVER wants a name or an address, with a port or without, such as node07 or [::1]:2709, not '"
                    + server + "'");
        }
        try {
            String host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new Failure("no address is known for " + server + "; mend its name, or give an address");
        }
    }

    private ParameterException wrong(String line) {
        return new ParameterException(spec.commandLine(), line);
    }
}
