// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import magnet.cluster.recording.RunFile;
import magnet.trace.TraceReader;

/**
 * The traces in the folder of a run: a folder with a trace for each node, and beside it what the node says of the recording.
 * Immutable.
 *
 * @param folder the run's
 * @param traces the nodes' folders, by their names
 */
record RunTraces(Path folder, Map<String, Path> traces) {
    /** Pairs of nodes are kept in a square. */
    private static final int NODES_MAX = 1_024;

    /**
     * Looks for them.
     *
     * @param wanted names of the nodes that count; all if there are none
     * @throws SyncException if there are not at least two
     */
    static RunTraces in(Path folder, Collection<String> wanted) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw Files.exists(folder)
                    ? new FileSystemException(
                            folder.toString(), null, "it is a file; magnet cluster collect makes a folder of a run")
                    : new NoSuchFileException(folder.toString(), null, "there is no such folder");
        }
        if (TraceReader.isIn(folder)) {
            throw new SyncException(folder
                    + " is the trace of one node; name the folder of the run, which has a folder for" + " each node");
        }
        SortedMap<String, Path> traces = new TreeMap<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, Files::isDirectory)) {
            for (Path each : found) {
                String name = each.getFileName().toString();
                if ((wanted.isEmpty() || wanted.contains(name)) && TraceReader.isIn(each)) {
                    traces.put(name, each);
                }
            }
        }
        for (String name : wanted) {
            if (!traces.containsKey(name)) {
                throw new SyncException(folder + " has no trace of " + name + "; magnet cluster collect fetches it");
            }
        }
        check(folder, traces);
        return new RunTraces(folder, traces);
    }

    private static void check(Path folder, SortedMap<String, Path> traces) throws SyncException {
        if (traces.isEmpty()) {
            throw new SyncException(
                    folder + " has no traces; magnet cluster collect RUN -o " + folder + " fetches those of a run");
        }
        if (traces.size() == 1) {
            throw new SyncException(folder + " has a trace of " + traces.firstKey()
                    + " alone, and two clocks at least are needed to compare any; magnet cluster collect fetches those of other"
                    + " nodes");
        }
        if (traces.size() > NODES_MAX) {
            throw new SyncException(folder + " has traces of " + traces.size() + " nodes, and " + NODES_MAX
                    + " are the most; name some by --nodes");
        }
    }

    /** What a node says of its recording; empty if there is no such file. */
    Optional<RunFile> runFile(String node) throws IOException {
        Path file = RunFile.in(folder, node);
        return Files.exists(file) ? Optional.of(RunFile.read(file)) : Optional.empty();
    }
}
