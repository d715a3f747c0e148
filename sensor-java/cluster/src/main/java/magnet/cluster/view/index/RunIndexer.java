// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import magnet.cli.world.SavedOwners;
import magnet.record.RecordHandler;
import magnet.trace.TraceReader;

/** Makes the index of a run, node by node. Closing it before {@link #finish} removes what was written. For one thread. */
public final class RunIndexer implements AutoCloseable {
    private final Path folder;
    private final boolean several;
    private final List<PagedFile> files = new ArrayList<>();
    private final List<NodeIndex> nodes = new ArrayList<>();
    private boolean finished;

    /**
     * Begins one.
     *
     * @param folder for the index's files, which is there, is empty and belongs to this index
     * @param several whether there will be more than one node: packets from node to node are looked for only then
     */
    public RunIndexer(Path folder, boolean several) {
        this.folder = folder;
        this.several = several;
    }

    /** Stands between a trace and its index, and leaves out records. */
    @FunctionalInterface
    public interface Between {
        /** Nothing is left out. */
        Between NOTHING = next -> next;

        /** Hands on to {@code next} what is not left out. */
        RecordHandler before(RecordHandler next) throws IOException;
    }

    /**
     * Reads the trace of a node.
     *
     * @param name what sets the node apart from the others
     * @param trace is read to its end
     * @param owners of that trace, which has not been read
     * @param between leaves out events; those that tell owners alone do not come here
     * @param watcher sees all records, and hands them on
     */
    public NodeIndex add(
            String name, TraceReader trace, SavedOwners owners, Between between, UnaryOperator<RecordHandler> watcher)
            throws IOException {
        PagedFile file = PagedFile.create(folder.resolve("node" + files.size()));
        files.add(file);
        NodeIndexer indexer = new NodeIndexer(file, trace, owners.owners(), several);
        try {
            trace.read(watcher.apply(owners.before(between.before(indexer))));
        } catch (UncheckedIOException e) {
            throw Objects.requireNonNull(e.getCause());
        }
        NodeIndex node = indexer.finish(name, trace.host());
        nodes.add(node);
        return node;
    }

    /** A node that was added is not to be part of the run. */
    public void leaveOut(NodeIndex node) {
        nodes.remove(node);
    }

    /** The nodes are all there. */
    public RunIndex finish(UnaryOperator<NodeIndex> aligned) throws IOException {
        RunIndex index = RunIndex.of(folder, files, nodes.stream().map(aligned).toList());
        finished = true;
        return index;
    }

    @Override
    public void close() throws IOException {
        if (!finished) {
            RunIndex.remove(folder, files);
        }
    }
}
