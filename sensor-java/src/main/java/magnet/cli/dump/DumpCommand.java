// SPDX-License-Identifier: Apache-2.0
package magnet.cli.dump;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import magnet.cli.world.BufferSizeOption;
import magnet.cli.world.CountOption;
import magnet.cli.world.DurationOption;
import magnet.cli.world.Failure;
import magnet.cli.world.Folding;
import magnet.cli.world.NewFile;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.VisibleText;
import magnet.cli.world.World;
import magnet.control.Selection;
import magnet.dump.DumpPlan;
import magnet.dump.ExpressionException;
import magnet.dump.Interfaces;
import magnet.dump.LineStyle;
import magnet.json.Json;
import magnet.unit.ByteSize;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
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
            "Shows each packet once: an outgoing packet when the kernel hands it to the driver, an incoming one when"
                    + " the kernel gets it from the device, a loopback packet when it comes in. Below the packet, or in"
                    + " the file as its comment, stand time stamp, CPU and thread, and each layer that saw the packet,"
                    + " with the nanoseconds since the first layer. If the packet was dropped, the reason follows.",
            "",
            "EXPRESSION is in the language of pcap-filter(7): [src|dst] host ADDRESS, [src|dst] net NETWORK,"
                    + " [tcp|udp|sctp] [src|dst] port N or portrange N-M, [ip|ip6] proto N, ip, ip6, arp, rarp, tcp,"
                    + " udp, sctp, icmp, icmp6, inbound, outbound. magnet adds cpu N, pid N (a process) and tid N (a"
                    + " thread). Join them by and, or, not and parentheses. The command makes rules for the kernel from"
                    + " it, so unwanted packets cost little; --explain shows the rules.",
            "",
            "Bytes begin at the network header, because records have no link header. A pcapng file has a cooked header"
                    + " in its place, LINKTYPE_LINUX_SLL2, as tcpdump -i any writes it.",
            "",
            "Ends after --count packets, after --duration, or on Ctrl-C, and then says how many packets were captured"
                    + " and how many were dropped. It also takes tcpdump's letters; for one that it does not take"
                    + " it says what to use."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet dump -i eth0 udp port 53",
            "      # DNS on eth0, each packet with its way through the kernel",
            "  sudo magnet dump -n 100 -o /tmp/packets.pcapng tcp",
            "      # a hundred packets of TCP, for Wireshark",
            "  magnet dump --explain host 10.0.0.2",
            "      # the rules that the kernel would get",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/dump.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class DumpCommand implements Callable<Integer> {
    /** Enough for the headers that lines show. */
    private static final int SNAP_OF_LINES = 128;

    /** Behind the point's name. */
    private static final int INDENT_OF_RULES = 21;

    private static final int MOST_TIMES = 5;
    private static final String ANY = "any";
    private static final long BUFFER_BYTES = 4 << 20;

    @Parameters(arity = "0..*", paramLabel = "EXPRESSION", description = "Show only these packets. Default: all.")
    private List<String> expression = new ArrayList<>();

    @Option(
            names = {"-i", "--interface"},
            paramLabel = "NAME",
            description =
                    "Show only packets of this interface. Default: any, all interfaces of this network namespace.")
    private String device = ANY;

    @Option(
            names = {"--snap", "-s"},
            paramLabel = "BYTES",
            description = "Keep this many bytes of each packet from its network header on, 1 to 4000; 0 means 4000."
                    + " Default: 4000 with -o, -x, -X and -A, otherwise the headers.")
    private @Nullable ByteSize snap;

    @Mixin
    private final CountOption count = new CountOption(
            "End after COUNT packets. Without a number -n is tcpdump's -n, which changes nothing.", "-c");

    @Mixin
    private final DurationOption duration = new DurationOption(
            DurationOption.USUAL + " Without a time -d, -dd and -ddd are" + " tcpdump's: the same as --explain.");

    @Option(
            names = {"-o", "--output", "-w"},
            paramLabel = "FILE",
            description =
                    "Write a pcapng file, which Wireshark reads, and print no packets. It must not exist yet, or be"
                            + " empty. - is standard output.")
    private @Nullable Path file;

    @Option(
            names = "--explain",
            description =
                    "Print the rules that the kernel would get for EXPRESSION at each point, and capture nothing.")
    private boolean explain;

    @Option(
            names = "--no-journey",
            description = "Hook only the points that show packets: the kernel logs less, and the command shows no"
                    + " layers.")
    private boolean noJourney;

    @Option(names = "--raw", description = "Print protocols and drop reasons as numbers instead of names.")
    private boolean raw;

    @Option(
            names = "--all-namespaces",
            description = "Show packets of all network namespaces of this machine. An interface of another namespace"
                    + " has a number and the namespace's inode as its name.")
    private boolean allNamespaces;

    @Mixin
    private final BufferSizeOption bufferSize = new BufferSizeOption(
            "Memory for each CPU's events until they are read, 64K to 256M. Default: 4M.", BUFFER_BYTES, "-B");

    @Option(
            names = "--json",
            description = "Print one JSON object per line, for each packet; with --explain print one object.")
    private boolean json;

    @Option(
            names = "-t",
            description = "Print no time. -tt: seconds since 1970; -ttt: time since the packet before; -tttt: date and"
                    + " time; -ttttt: time since the first packet.")
    private boolean[] times = {};

    @Option(names = "-#", description = "Print the number of each packet.")
    private boolean numbered;

    @Option(
            names = "-e",
            description = "Print the interface's number, the ethertype and the length. Records have no link header.")
    private boolean link;

    @Option(names = "-q", description = "Print less about each packet: no flags of TCP, no types of ICMP.")
    private boolean quiet;

    @Option(
            names = {"-v", "--verbose"},
            description = "Print the fields of the IP header, too, and behind owner= whose process it is: its job, else"
                    + " the path of its cgroup. With --json and -o only the owners are added. For them the command also"
                    + " logs cgroup_mkdir, cgroup_rmdir and task_attach into its buffer. -vv and -vvv are the same.")
    private boolean[] verbose = {};

    @Option(names = "-x", description = "Print the bytes of each packet in hex, from its network header on.")
    private boolean[] hex = {};

    @Option(names = "-X", description = "Print the bytes in hex and as text.")
    private boolean[] hexAndText = {};

    @Option(names = "-A", description = "Print the bytes as text.")
    private boolean[] text = {};

    @Option(
            names = {"-l", "-U", "-p", "-K", "-N", "-O", "-f", "-u", "--immediate-mode"},
            description = "Taken for tcpdump's sake, and change nothing: the command always prints or writes packets at"
                    + " once, looks up no names, checks no checksums, and never switches an interface to promiscuous"
                    + " mode.")
    @SuppressWarnings("unused") // it is always so
    private boolean[] asAlways = {};

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
                snap == null || snap.bytes() <= Selection.SNAP_BYTES_MOST,
                "--snap BYTES must be 0 to " + Selection.SNAP_BYTES_MOST);
        count.check(spec.commandLine());
        bufferSize.check(spec.commandLine());
        check(file == null || !json, "-o prints no packets, so it does not go with --json");
        check(file == null || !explain, "--explain captures nothing, so it does not go with -o");
        check(times.length <= MOST_TIMES, "-t stands at most five times");
        LineStyle style = style();
        check(
                (file == null && !json && !explain) || style.isUsual(),
                "-t, -#, -e, -q, -x, -X and -A say how packets are printed, so they do not go with -o, --json and"
                        + " --explain");
        check(!explain || verbose.length == 0, "--explain captures nothing, so it does not go with -v");
        check(
                !allNamespaces || device.equals(ANY),
                "-i names an interface of this namespace, so it does not go with --all-namespaces");
        boolean toOutput = file != null && file.equals(Path.of("-"));
        check(
                !toOutput || world.screen().get().isEmpty(),
                "-o - writes no text: let it go to a file or to a program, not to a terminal");
        if (file != null && !toOutput) {
            NewFile.check(file);
        }
        Interfaces interfaces = new Interfaces(world.processes(), world.root().resolve("sys/class/net"));
        DumpPlan plan = plan(interfaces);
        if (explain) {
            explain(plan);
            return ExitCode.OK;
        }
        new DumpReading(
                        world,
                        plan,
                        interfaces,
                        new DumpReading.Wishes(
                                snapBytes(),
                                count.most(),
                                duration.seconds(),
                                raw,
                                allNamespaces,
                                bufferSize.bytes(),
                                file,
                                toOutput,
                                json,
                                verbose.length > 0,
                                style))
                .run();
        return ExitCode.OK;
    }

    private LineStyle style() {
        return new LineStyle(time(), numbered, link, quiet, verbose.length > 0, bytes());
    }

    private LineStyle.Time time() {
        return switch (times.length) {
            case 0 -> LineStyle.Time.CLOCK;
            case 1 -> LineStyle.Time.NONE;
            case 2 -> LineStyle.Time.SECONDS;
            case 3 -> LineStyle.Time.SINCE_LAST;
            case 4 -> LineStyle.Time.DATE_AND_CLOCK;
            default -> LineStyle.Time.SINCE_FIRST;
        };
    }

    /** If several are asked for, that which has most. */
    private LineStyle.Bytes bytes() {
        if (hexAndText.length > 0 || (hex.length > 0 && text.length > 0)) {
            return LineStyle.Bytes.HEX_AND_TEXT;
        }
        if (hex.length > 0) {
            return LineStyle.Bytes.HEX;
        }
        return text.length > 0 ? LineStyle.Bytes.TEXT : LineStyle.Bytes.NONE;
    }

    private int snapBytes() {
        if (snap == null) {
            return file == null && bytes() == LineStyle.Bytes.NONE ? SNAP_OF_LINES : Selection.SNAP_BYTES_MOST;
        }
        return snap.bytes() == 0 ? Selection.SNAP_BYTES_MOST : (int) snap.bytes();
    }

    private void explain(DumpPlan plan) throws IOException {
        if (json) {
            Map<String, Object> rules = new LinkedHashMap<>();
            plan.subscriptions()
                    .forEach(
                            each -> rules.put(each.point().label(), each.rules().isEmpty() ? "log" : each.rules()));
            Map<String, Object> explained = new LinkedHashMap<>();
            explained.put("rules", rules);
            explained.put("exact", plan.isExact());
            world.out().line(Json.of(explained));
            return;
        }
        for (String line : plan.explanation()) {
            world.out().line(Folding.of(line, world.columns(), INDENT_OF_RULES));
        }
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
