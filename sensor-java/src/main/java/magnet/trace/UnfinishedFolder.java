// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/** A folder that is made, and goes again with all that was made in it unless it is finished. For one thread. */
public final class UnfinishedFolder implements AutoCloseable {
    private final Path folder;
    private final Deque<Path> made = new ArrayDeque<>();
    private boolean finished;

    /**
     * Makes it, with those above it.
     *
     * @param folder if it is there it must be empty
     * @throws java.nio.file.FileAlreadyExistsException if it is not
     */
    public UnfinishedFolder(Path folder) throws IOException {
        this.folder = folder.toAbsolutePath();
        Deque<Path> missing = new ArrayDeque<>();
        for (Path each = this.folder; each != null && !Files.exists(each); each = each.getParent()) {
            missing.addFirst(each);
        }
        try {
            TraceWriter.makeEmpty(folder);
        } finally {
            missing.stream().filter(Files::exists).forEach(made::addFirst);
        }
    }

    /** Makes a folder in it, with those between; an empty name is the folder itself. */
    Path makeFolder(String name) throws IOException {
        Path at = folder;
        for (Path each : Path.of(name)) {
            at = at.resolve(each);
            if (!Files.exists(at)) {
                Files.createDirectory(at);
                made.addFirst(at);
            }
        }
        return at;
    }

    /** A file is about to be made in it. */
    void add(Path file) {
        made.addFirst(file);
    }

    /** It stays. */
    public void finish() {
        finished = true;
    }

    @Override
    public void close() throws IOException {
        if (!finished) {
            for (Path each : made) {
                Files.deleteIfExists(each);
            }
        }
    }
}
