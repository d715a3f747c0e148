// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code magnet hist}: how large a field of events is. */
@Command(
        name = "hist",
        header = "Draw histograms of a field of events, in powers of two.",
        description = {
            "",
            "Reads from a buffer of its own, beside the service's. Prints histograms as bpftrace does, after --count"
                    + " events, after --duration, or on Ctrl-C; with -i after each interval, too. Then it says what was"
                    + " lost. It switches off again what it switched on.",
            "",
            "FIELD is a field of the point that holds a number (" + ReadOn.DOCS + "/record-format.md), such as len,"
                    + " bytes or latency."
                    + " KEY, as in \"magnet count\", makes a histogram for each process, cpu, device and so on;"
                    + " separate several by commas. Several points share one histogram; \"by point\" makes one for"
                    + " each."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet hist -p udp_sendmsg len -d 10",
            "      # how large datagrams are, over ten seconds",
            "  sudo magnet hist -p block_rq_complete bytes by device,op -i 1",
            "      # sizes of block requests each second, by device and operation",
            "  magnet hist --trace /tmp/trace -p tcp_sendmsg len by process",
            "      # the same of a saved trace, for each process",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/aggregate.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class HistCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "FIELD [by KEY]",
            arity = "0..*",
            hideParamSyntax = true,
            description = "The field, and the key that groups it.")
    private List<String> words = new ArrayList<>();

    @Mixin
    private AggregateOptions options = new AggregateOptions();

    private final World world;

    public HistCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        options.check();
        options.check(!options.points().isEmpty(), "which point? Say it with -p POINT, such as -p udp_sendmsg");
        options.check(!words.isEmpty(), "which field of the point? Say it behind, such as -p udp_sendmsg len");
        List<String> by = options.keys(words.subList(1, words.size()));
        return new Aggregation(world, "hist", options, words.get(0), by).run();
    }
}
