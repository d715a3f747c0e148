// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What all nodes of a run did, in one time: nanoseconds since {@code originNs}, which is when the first of them begins. Closing it
 * removes its files. Threads: any may ask until it is closed.
 */
public final class RunIndex implements AutoCloseable {
    private final Path folder;
    private final List<PagedFile> files;
    private final List<NodeIndex> nodes;
    private final Arrows arrows;
    private final long originNs;
    private final long endNs;

    private RunIndex(
            Path folder, List<PagedFile> files, List<NodeIndex> nodes, Arrows arrows, long originNs, long endNs) {
        this.folder = folder;
        this.files = files;
        this.nodes = List.copyOf(nodes);
        this.arrows = arrows;
        this.originNs = originNs;
        this.endNs = endNs;
    }

    /**
     * Puts nodes together.
     *
     * @param folder with the index's files; removed when the index is closed
     * @param files those of the nodes
     * @param nodes each with its own axis, corrected for the run
     */
    static RunIndex of(Path folder, List<PagedFile> files, List<NodeIndex> nodes) throws IOException {
        long origin = nodes.stream()
                .mapToLong(node -> node.axis().ns(0) + node.axis().originNs())
                .min()
                .orElse(0);
        List<NodeIndex> together = new ArrayList<>();
        long end = 1;
        for (NodeIndex node : nodes) {
            NodeIndex moved = node.with(node.axis().from(origin));
            together.add(moved);
            end = Math.max(end, moved.axis().ns(moved.end()) + 1);
        }
        PagedFile file = PagedFile.create(folder.resolve("arrows"));
        files.add(file);
        Arrows arrows = ArrowFinder.find(together, file);
        file.map();
        return new RunIndex(folder, files, together, arrows, origin, end);
    }

    /** The nodes, by their numbers. */
    public List<NodeIndex> nodes() {
        return nodes;
    }

    /** Packets from node to node. */
    public Arrows arrows() {
        return arrows;
    }

    /** When it begins: nanoseconds since 1970. */
    public long originNs() {
        return originNs;
    }

    /** How long it is: nanoseconds, at least 1. */
    public long endNs() {
        return endNs;
    }

    /** Bytes of its files. */
    public long bytes() {
        return files.stream().mapToLong(PagedFile::size).sum();
    }

    @Override
    public void close() throws IOException {
        remove(folder, files);
    }

    /** Removes files and their folder. */
    static void remove(Path folder, List<PagedFile> files) throws IOException {
        for (PagedFile file : files) {
            file.close();
        }
        if (Files.isDirectory(folder)) {
            try (Stream<Path> left = Files.walk(folder)) {
                for (Path each : left.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(each);
                }
            }
        }
    }
}
