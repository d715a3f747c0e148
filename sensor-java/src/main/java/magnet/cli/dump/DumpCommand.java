// SPDX-License-Identifier: Apache-2.0
package magnet.cli.dump;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import magnet.cli.world.Failure;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.VisibleText;
import magnet.cli.world.World;
import magnet.control.Selection;
import magnet.dump.DumpPlan;
import magnet.dump.ExpressionException;
import magnet.dump.Interfaces;
import magnet.unit.ByteSize;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code magnet dump}: packets and their journeys. */
@Command(
        name = "dump",
        header = "Show packets as tcpdump does, each with its journey through the kernel's layers.",
        description = {
            "",
            "Each packet once: one that is sent when its driver is given it, one that is received when the kernel gets"
                    + " it from its device, one of the loopback when it comes in. Below it, or in the file as the"
                    + " packet's comment: time stamp, CPU and thread, and each layer that saw the packet, with the"
                    + " nanoseconds since the first one; where it was dropped, why.",
            "",
            "EXPRESSION is one of pcap-filter(7): [src|dst] host ADDRESS, [src|dst] net NETWORK, [tcp|udp|sctp]"
                    + " [src|dst] port N or portrange N-M, [ip|ip6] proto N, ip, ip6, arp, rarp, tcp, udp, sctp, icmp,"
                    + " icmp6, inbound, outbound; and besides cpu N, pid N (a process) and tid N (a thread); joined by"
                    + " and, or, not and parentheses. The kernel gets rules for it, so that what is not wanted costs"
                    + " little; -d shows them.",
            "",
            "Bytes are those from the network header on: records have no link header. A pcapng file has a cooked one"
                    + " in its place, LINKTYPE_LINUX_SLL2, as tcpdump -i any writes it.",
            "",
            "Ends after -c packets, --duration, or at Ctrl-C, and says then how many packets were captured and how many"
                    + " were dropped."
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class DumpCommand implements Callable<Integer> {
    /** Enough for the headers that lines show. */
    private static final int SNAP_OF_LINES = 128;

    private static final String ANY = "any";
    private static final long BUFFER_BYTES = 4 << 20;

    @Parameters(arity = "0..*", paramLabel = "EXPRESSION", description = "Which packets are wanted; all by default.")
    private List<String> expression = new ArrayList<>();

    @Option(
            names = {"-i", "--interface"},
            paramLabel = "NAME",
            description = "Only packets of this interface; all of this network namespace by default, as with any.")
    private String device = ANY;

    @Option(
            names = {"-s", "--snap"},
            paramLabel = "BYTES",
            description = "Bytes of each packet, from its network header on, 1 to 4000; by default 4000 with -w, else"
                    + " the headers.")
    private @Nullable ByteSize snap;

    @Option(
            names = {"-c", "--count"},
            paramLabel = "COUNT",
            description = "End after so many packets.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            description = "End after such a time: 10 (seconds), 0.5, 90s, 5m, 1h.")
    private @Nullable TimeSpan duration;

    @Option(
            names = {"-w", "-o", "--output"},
            paramLabel = "FILE",
            description = "Write a pcapng file, which Wireshark reads, and print no packets; - is the standard output.")
    private @Nullable Path file;

    @Option(
            names = {"-d", "--explain"},
            description =
                    "Print the rules that the kernel would get for EXPRESSION at each point, and capture nothing.")
    private boolean explain;

    @Option(
            names = "--no-journey",
            description = "Only the points where packets are shown: less to log, and no layers.")
    private boolean noJourney;

    @Option(
            names = "--all-namespaces",
            description = "Packets of all network namespaces of this machine; interfaces of others have a number and"
                    + " the namespace's inode as their name.")
    private boolean allNamespaces;

    @Option(
            names = {"-B", "--buffer-size"},
            paramLabel = "BYTES",
            description = "Memory for each CPU's events until they are read, 64K to 256M; 4M by default.")
    private ByteSize bufferSize = new ByteSize(BUFFER_BYTES);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public DumpCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        check(
                snap == null || (snap.bytes() >= 1 && snap.bytes() <= Selection.SNAP_BYTES_MOST),
                "--snap BYTES must be 1 to " + Selection.SNAP_BYTES_MOST);
        check(count >= 1, "COUNT must be at least 1");
        check(
                !allNamespaces || device.equals(ANY),
                "-i names an interface of this namespace, so it does not go with --all-namespaces");
        boolean toOutput = file != null && file.equals(Path.of("-"));
        check(
                !toOutput || world.screen().get().isEmpty() || explain,
                "-w - writes no text: let it go to a file or to a program, not to a terminal");
        Interfaces interfaces = new Interfaces(world.processes(), world.root().resolve("sys/class/net"));
        DumpPlan plan = plan(interfaces);
        if (explain) {
            for (String line : plan.explanation()) {
                world.out().line(line);
            }
            return ExitCode.OK;
        }
        int bytes = snap != null ? (int) snap.bytes() : file == null ? SNAP_OF_LINES : Selection.SNAP_BYTES_MOST;
        new DumpReading(
                        world,
                        plan,
                        interfaces,
                        new DumpReading.Wishes(
                                bytes,
                                count,
                                duration == null ? Double.POSITIVE_INFINITY : duration.seconds(),
                                allNamespaces,
                                bufferSize.bytes(),
                                file,
                                toOutput))
                .run();
        return ExitCode.OK;
    }

    private DumpPlan plan(Interfaces interfaces) throws Failure {
        OptionalInt index = OptionalInt.empty();
        if (!device.equals(ANY)) {
            index = interfaces.index(device);
            if (index.isEmpty()) {
                throw new Failure("there is no interface " + VisibleText.of(device) + "; there are "
                        + String.join(", ", interfaces.names()) + " and any");
            }
        }
        try {
            return DumpPlan.of(String.join(" ", expression), index, !noJourney);
        } catch (ExpressionException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private void check(boolean good, String otherwise) {
        if (!good) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }
}
