// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import magnet.cli.world.Counted;
import magnet.cli.world.NewFile;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.cluster.view.index.NodeIndex;
import magnet.cluster.view.index.RunIndex;
import magnet.cluster.view.page.Picture;
import magnet.cluster.view.page.View;
import magnet.cluster.view.page.ViewServer;
import magnet.trace.RuleForm;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code magnet view}: recorded traces as a picture, in a browser. */
@Command(
        name = "view",
        header = "Look at saved traces, of one node or of many, in a browser.",
        description = {
            "",
            "Reads a trace of \"magnet read -o\", several, or all traces of a run of \"magnet cluster\", and serves a page"
                    + " that shows them in one picture: who ran on each CPU, interrupts, packets from node to node, lost"
                    + " events, and the longest waits and gaps. The command prints the address of the page, which only"
                    + " this machine can reach and only who knows the address can read. Ctrl-C ends it.",
            "",
            "The picture is exact at every zoom. For that the command writes an index, 14 to 22 bytes for each time slice,"
                    + " into a folder for temporary files, and removes it at its end. It needs neither the module nor root."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet view /tmp/run",
            "      # all nodes of a run; open the address that it prints",
            "  magnet view /tmp/trace --port 8658",
            "      # one trace, at a port of your choice",
            "  magnet view /tmp/run -o /tmp/run.svg",
            "      # the whole run as a picture in a file",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/view.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class ViewCommand implements Callable<Integer> {
    private static final int LAST_PORT = 65_535;
    private static final int PICTURE_WIDTH = 1_600;
    private static final long MIB = 1 << 20;

    @Parameters(
            paramLabel = "TRACE",
            arity = "1..*",
            description = "The folders of traces, or of runs: a run is a folder with a trace for each node.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private List<Path> folders;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Serve the page at this port of 127.0.0.1. Default: any that is free.")
    private int port;

    @Option(
            names = "--index",
            paramLabel = "DIR",
            description = "Write the index into a new folder in DIR, which exists. Default: the system's folder for"
                    + " temporary files.")
    private @Nullable Path indexFolder;

    @Option(
            names = "--filter",
            paramLabel = "RULE",
            description = "A rule that decides which events are shown, in the language of \"magnet read --filter\" ("
                    + ReadOn.DOCS + "/control.md); several rules apply in their order, to each kind of event.")
    private List<String> filters = List.of();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write the whole picture to this file as SVG, and serve nothing. It must not exist yet, or be"
                    + " empty.")
    private @Nullable Path output;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public ViewCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        if (port < 0 || port > LAST_PORT) {
            throw new ParameterException(
                    spec.commandLine(), "--port wants a number from 0 to " + LAST_PORT + ", not " + port);
        }
        RuleForm.check(filters);
        if (output != null) {
            NewFile.check(output);
        }
        RunOpening opening = new RunOpening(world, String.join(";", filters));
        Path at = indexFolder == null
                ? Files.createTempDirectory("magnet-view-")
                : Files.createTempDirectory(indexFolder, "magnet-view-");
        View view;
        try {
            view = opening.open(folders, at);
        } finally {
            // The index has removed it if it was closed; if there is none it is empty.
            if (isEmpty(at)) {
                Files.deleteIfExists(at);
            }
        }
        try (RunIndex index = view.index()) {
            tell(index);
            if (output == null) {
                serve(view);
            } else {
                write(view, output);
            }
        }
        return opening.exitCode();
    }

    private static boolean isEmpty(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (var files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }

    private void tell(RunIndex index) throws IOException {
        long cpus = index.nodes().stream().mapToLong(node -> node.cpus().size()).sum();
        long events =
                index.nodes().stream().mapToLong(node -> node.counts().events()).sum();
        world.tell(Counted.of(index.nodes().size(), "node") + ", " + Counted.of(cpus, "CPU") + ", "
                + Counted.of(events, "event") + ", "
                + Counted.of(index.nodes().stream().mapToLong(NodeIndex::slices).sum(), "slice") + ", "
                + Counted.of(index.arrows().size(), "packet") + " from node to node; the index has "
                + (index.bytes() + MIB - 1) / MIB + " MiB");
    }

    private void serve(View view) throws IOException {
        CountDownLatch ended = new CountDownLatch(1);
        world.interruption().onInterrupt(ended::countDown);
        try (ViewServer server = ViewServer.open(port, view)) {
            world.out().line(server.url());
            world.out().flush();
            world.tell("open this address in a browser of this machine; Ctrl-C ends the command");
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void write(View view, Path file) throws IOException {
        try (ByteChannel out = NewFile.open(file)) {
            ByteBuffer bytes = ByteBuffer.wrap(Picture.svg(view, PICTURE_WIDTH).getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
        }
    }
}
