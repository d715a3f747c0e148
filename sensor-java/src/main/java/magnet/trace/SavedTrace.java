// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A trace that goes on: in the folder itself, or, where it has parts, in folders {@code 000001}, {@code 000002}, … in it,
 * each of which is a trace of its own. Old parts go when there are too many or the file system becomes full. For one
 * thread.
 */
public final class SavedTrace implements AutoCloseable {

    /** Tells where the records come from, as of now. */
    @FunctionalInterface
    public interface OriginSource {
        TraceWriter.Origin now() throws IOException;
    }

    private final Path folder;
    private final Rotation rotation;
    private final OriginSource origin;
    private final TraceWriter.FormatSource format;
    private final Supplier<Map<Integer, String>> processNames;
    private final LongSupplier nanos;
    private final Deque<Path> finished = new ArrayDeque<>();
    private @Nullable Supplier<TraceOwners> owners;
    private TraceWriter part;
    private long partBeganNanos;
    private int parts;
    private int removed;

    /**
     * Begins it.
     *
     * @param folder is made; if it is there it must be empty
     * @param processNames what processes are called, each character a byte of it; asked when a part ends
     * @param nanos a monotonic clock
     */
    public SavedTrace(
            Path folder,
            Rotation rotation,
            OriginSource origin,
            TraceWriter.FormatSource format,
            Supplier<Map<Integer, String>> processNames,
            LongSupplier nanos)
            throws IOException {
        this(folder, rotation, origin, format, processNames, nanos, 0);
    }

    /** @param before number of the last part that is there */
    private SavedTrace(
            Path folder,
            Rotation rotation,
            OriginSource origin,
            TraceWriter.FormatSource format,
            Supplier<Map<Integer, String>> processNames,
            LongSupplier nanos,
            int before)
            throws IOException {
        this.folder = folder;
        this.rotation = rotation;
        this.origin = origin;
        this.format = format;
        this.processNames = processNames;
        this.nanos = nanos;
        this.parts = before + 1;
        if (before == 0) {
            TraceWriter.makeEmpty(folder);
        }
        this.part = begin();
    }

    /**
     * Goes on with one that has parts, in a further part: whoever wrote it has ended. Parts that are there stay, however many
     * they are.
     *
     * @param folder has parts, or nothing
     */
    public static SavedTrace goOn(
            Path folder,
            Rotation rotation,
            OriginSource origin,
            TraceWriter.FormatSource format,
            Supplier<Map<Integer, String>> processNames,
            LongSupplier nanos)
            throws IOException {
        if (!rotation.hasParts()) {
            throw new IllegalArgumentException("it has no parts: " + folder);
        }
        return new SavedTrace(folder, rotation, origin, format, processNames, nanos, lastPart(folder));
    }

    private static int lastPart(Path folder) throws IOException {
        int last = 0;
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> parts = Files.newDirectoryStream(folder, "[0-9]*")) {
                for (Path part : parts) {
                    last = Math.max(last, Integer.parseInt(part.getFileName().toString()));
                }
            }
        }
        return last;
    }

    /**
     * From now on it tells owners. To be called before anything is written.
     *
     * @param known what no record of a part says that begins now; asked for each part
     */
    public void tellOwners(Supplier<TraceOwners> known) throws IOException {
        owners = known;
        part.own(known.get());
    }

    /** Takes that back: records that would tell owners are missing. */
    public void tellNoOwners() throws IOException {
        owners = null;
        part.own(null);
    }

    /** Writes whole records of a CPU, as {@link TraceWriter#write} does. */
    public void write(int cpu, ByteBuffer batch, int offset, int length) throws IOException {
        if (isPartFull()) {
            end();
            finished.addLast(part.folder());
            parts++;
            removeOld();
            part = begin();
            if (owners != null) {
                part.own(owners.get());
            }
        }
        makeRoom();
        part.write(cpu, batch, offset, length);
    }

    /** Parts so far, those that were removed included. */
    public int parts() {
        return parts;
    }

    /** Parts that were removed. */
    public int removed() {
        return removed;
    }

    @Override
    public void close() throws IOException {
        end();
    }

    private void end() throws IOException {
        try (TraceWriter ending = part) {
            ending.name(processNames.get());
        }
    }

    private TraceWriter begin() throws IOException {
        partBeganNanos = nanos.getAsLong();
        Path to = rotation.hasParts() ? folder.resolve("%06d".formatted(parts)) : folder;
        return new TraceWriter(to, origin.now(), format);
    }

    private boolean isPartFull() {
        @Nullable Long most = rotation.bytes();
        if (part.bytes() == 0) {
            return false;
        }
        return (most != null && part.bytes() >= most)
                || (rotation.every() != null
                        && nanos.getAsLong() - partBeganNanos
                                >= rotation.every().toNanos());
    }

    /** With the part that is begun next there are as many as may be. */
    private void removeOld() throws IOException {
        while (rotation.keep() > 0 && finished.size() >= rotation.keep()) {
            remove(finished.removeFirst());
        }
    }

    private void makeRoom() throws IOException {
        while (rotation.freeBytes() > 0 && Files.getFileStore(folder).getUsableSpace() < rotation.freeBytes()) {
            Path oldest = finished.pollFirst();
            if (oldest == null) {
                throw new FileSystemException(
                        folder.toString(), null, "less is free on its file system than is to stay so");
            }
            remove(oldest);
        }
    }

    private void remove(Path old) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(old)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(old);
        removed++;
    }
}
