// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import magnet.cli.world.Failure;
import magnet.trace.TraceReader;

/**
 * The traces that folders have: a folder is one, with or without parts, or a run, which has a folder with a trace for each
 * node. Immutable.
 *
 * @param traces by the name that sets one apart from the others, in order; the only one that was named has an empty name
 * @param others folders of runs that have no trace
 */
public record TraceFolders(Map<String, Path> traces, List<Path> others) {

    /** Looks for them. */
    public static TraceFolders in(List<Path> folders) throws IOException {
        Map<String, Path> traces = new LinkedHashMap<>();
        List<Path> others = new ArrayList<>();
        for (Path folder : folders) {
            Path name = folders.size() == 1 ? Path.of("") : name(folder);
            if (TraceReader.isIn(folder)) {
                add(traces, name, folder);
                continue;
            }
            List<Path> nodes = nodes(folder, others);
            if (nodes.isEmpty()) {
                throw new Failure(folder + " has no trace: there is no file 'metadata', and no folder with one");
            }
            for (Path node : nodes) {
                add(traces, name.resolve(node.getFileName()), node);
            }
        }
        return new TraceFolders(traces, others);
    }

    private static void add(Map<String, Path> traces, Path name, Path folder) throws Failure {
        Path before = traces.putIfAbsent(name.toString(), folder);
        if (before != null) {
            throw new Failure(before + " and " + folder
                    + " have the same name, which is to set them apart; take them one by one");
        }
    }

    private static Path name(Path folder) throws IOException {
        Path name = folder.toRealPath().getFileName();
        return name == null ? Path.of("") : name;
    }

    private static List<Path> nodes(Path run, List<Path> others) throws IOException {
        List<Path> nodes = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(run, Files::isDirectory)) {
            for (Path each : found) {
                (TraceReader.isIn(each) ? nodes : others).add(each);
            }
        }
        nodes.sort(null);
        others.sort(null);
        return nodes;
    }
}
