// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.cli;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.cluster.config.ClusterConfig;
import magnet.cluster.config.RecordingProfile;
import magnet.cluster.recording.RecordingRole;
import magnet.cluster.wire.Kind;
import magnet.recorder.TraceSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code magnet cluster collect}: brings the traces of a run together. */
@Command(
        name = "collect",
        header = "Copy a run's traces from the nodes into one folder.",
        description = {
            "",
            "Asks the nodes who has a part of the run, and copies one after the other by \"copy\" in [cluster], which is"
                    + " \"rsync -a\": that needs rsync on both ends, and ssh to the nodes. Names the nodes from which it could"
                    + " not copy, and then ends with exit code 1; run it again with --nodes for these.",
            "",
            "FOLDER gets NODE/, the trace, and NODE.json, which says how the recording went, of each node."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet cluster collect 20261127T190000Z-default-0a1b2c3d -o /tmp/run",
            "      # all of its traces; magnet report /tmp/run/n1 summarises one",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/cluster.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class ClusterCollectCommand implements Callable<Integer> {
    private static final Pattern NAME = Pattern.compile("\\d{8}T\\d{6}Z-([A-Za-z0-9_][A-Za-z0-9_.-]*)-[0-9a-f]{8}");

    /** What may stand in an argument of a copying program: a host's name is no option, and no command. */
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

    @Parameters(paramLabel = "RUN", description = "The name that start has printed; \"magnet cluster ls\" lists them.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String run;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FOLDER",
            required = true,
            description =
                    "Copy to FOLDER, which does not exist or is empty; with --nodes it may have other nodes' traces.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path folder;

    @Mixin
    private NodesOption nodes = new NodesOption();

    private final World world;

    ClusterCollectCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        ClusterConfig config = Orders.config(world);
        RecordingProfile profile = profile(config);
        Orders orders = Orders.of(world, nodes);
        Map<String, Map<String, String>> answers =
                orders.give(Kind.QUERY, orders.newId(), 0, 0, RecordingRole.RUNS, Orders.ANSWERS);
        boolean complete = orders.complain(answers);
        List<String> having = answers.entrySet().stream()
                .filter(each -> each.getValue().containsKey(run))
                .map(Map.Entry::getKey)
                .toList();
        if (having.isEmpty()) {
            throw new Failure("no node has a run " + run + "; magnet cluster ls lists those that there are");
        }
        checkThatTheyAreNew(having);
        Files.createDirectories(folder);
        List<String> failed = new ArrayList<>();
        for (String node : having) {
            world.tell("copying from " + node);
            if (!copy(config, node, profile.folder().resolve(run))) {
                failed.add(node);
            }
        }
        if (!failed.isEmpty()) {
            world.tell("not copied from " + String.join(", ", failed) + "; what the copying program said stands above");
        }
        world.tell(Counted.of(having.size() - failed.size(), "trace") + " in " + folder);
        return complete && failed.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private RecordingProfile profile(ClusterConfig config) throws Failure {
        Matcher name = NAME.matcher(run);
        if (!name.matches()) {
            throw new Failure("'" + run + "' is no name of a run, such as 20261127T190000Z-default-0a1b2c3d;"
                    + " magnet cluster ls lists them");
        }
        RecordingProfile profile = config.profiles().get(name.group(1));
        if (profile == null) {
            throw new Failure(world.config() + " has no [recording " + name.group(1)
                    + "], which says in which folder of the nodes the run lies");
        }
        return profile;
    }

    private void checkThatTheyAreNew(List<String> having) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path each : files) {
                String node = each.getFileName().toString().replaceFirst("\\.json$", "");
                if (having.contains(node)
                        || nodes.expected(Orders.config(world)).isEmpty()) {
                    throw new FileAlreadyExistsException(
                            each.toString(), null, "it is there already; collect wants a folder of its own");
                }
            }
        }
    }

    /** Returns whether it has worked. */
    private boolean copy(ClusterConfig config, String node, Path from) throws IOException {
        if (!HOST.matcher(node).matches()) {
            world.tell("'" + node + "' is no host's name");
            return false;
        }
        boolean isHere = node.equals(TraceSource.host(world.processes()));
        List<String> command = new ArrayList<>(config.copy());
        command.add((isHere ? "" : node + ":") + from + "/");
        command.add(folder + "/");
        try {
            Process process = new ProcessBuilder(command).inheritIO().start();
            return process.waitFor() == 0 && Files.isDirectory(folder.resolve(node));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (IOException e) {
            throw new Failure(config.copy().get(0) + ": cannot be run: " + e.getMessage()
                    + "; install it, or name another program by copy in [cluster]");
        }
    }
}
