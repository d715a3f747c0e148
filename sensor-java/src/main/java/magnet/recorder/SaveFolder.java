// SPDX-License-Identifier: Apache-2.0
package magnet.recorder;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import magnet.os.FileReason;

/**
 * A folder that gets a trace each time that something happens: {@code NAME-20261126T221533.125Z}, by the time of the save. There
 * are only so many, of so many bytes in all, and the file system keeps some room: the oldest go first, and nothing else that
 * lies there. For one thread.
 */
public final class SaveFolder {
    /**
     * How much there may be. Immutable.
     *
     * @param traces most traces, the new one included; at least 1
     * @param bytes most bytes of all of them
     * @param freeBytes what is to stay free on the file system
     */
    public record Bounds(int traces, long bytes, long freeBytes) {
        /** Few, since nobody looks at each of many. */
        public static final Bounds DEFAULT = new Bounds(10, 1L << 30, 1L << 30);

        public Bounds {
            if (traces < 1 || bytes < 0 || freeBytes < 0) {
                throw new IllegalArgumentException("traces=" + traces + " bytes=" + bytes + " free=" + freeBytes);
            }
        }
    }

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final Path folder;
    private final String recorder;
    private final Bounds bounds;
    private final InstantSource wall;
    private final Disk disk;
    private final Pattern own;
    private int removed;
    private String kept = "";

    /** How much room there is. */
    @FunctionalInterface
    interface Disk {
        /** Bytes that this user may still write to a folder's file system. */
        long usable(Path folder) throws IOException;
    }

    /** @param wall the wall clock */
    public SaveFolder(Path folder, String recorder, Bounds bounds, InstantSource wall) {
        this(folder, recorder, bounds, wall, each -> Files.getFileStore(each).getUsableSpace());
    }

    SaveFolder(Path folder, String recorder, Bounds bounds, InstantSource wall, Disk disk) {
        this.disk = disk;
        this.folder = folder;
        this.recorder = recorder;
        this.bounds = bounds;
        this.wall = wall;
        this.own = Pattern.compile(Pattern.quote(recorder) + "-\\d{8}T\\d{6}\\.\\d{3}Z");
    }

    /**
     * Saves what the flight recorder holds, in a folder of its own in this one. Older traces go when the new one is there;
     * before that only if the disk has no room for it, and no more than that takes.
     *
     * @throws RecorderException also if the trace alone would be more than may be there
     */
    public Saved save(RecorderSave save) throws IOException {
        Files.createDirectories(folder);
        removed = 0;
        kept = "";
        Path trace = folder.resolve(recorder + "-" + TIME.format(wall.instant()));
        Saved saved;
        try {
            saved = save.save(recorder, trace, this::makeRoom);
        } catch (IOException e) {
            throw removed == 0
                    ? e
                    : new RecorderException(reason(e) + "; older traces that were removed to make room: " + removed);
        }
        try {
            prune(trace);
        } catch (IOException e) {
            kept = reason(e);
        }
        return saved.withOlder(removed, kept);
    }

    /** Nothing is removed where that would not be enough. */
    private void makeRoom(long wanted) throws IOException {
        if (wanted > bounds.bytes()) {
            throw new RecorderException(folder + ": flight recorder " + recorder + " may hold " + wanted
                    + " bytes, and the traces there may take no more than " + bounds.bytes());
        }
        List<Path> traces = traces();
        long bytes = bytesOf(traces);
        for (Path oldest : traces) {
            long free = disk.usable(folder) - bounds.freeBytes();
            if (free >= wanted || free + bytes < wanted) {
                break;
            }
            bytes -= bytesOf(oldest);
            remove(oldest);
        }
        long free = disk.usable(folder);
        if (free - bounds.freeBytes() < wanted) {
            throw RecorderSave.noRoom(recorder, folder, free, bounds.freeBytes(), wanted);
        }
    }

    private void prune(Path trace) throws IOException {
        List<Path> older = traces();
        older.remove(trace);
        int left = older.size() + 1;
        long bytes = bytesOf(older) + bytesOf(trace);
        for (Path oldest : older) {
            if (left <= bounds.traces() && bytes <= bounds.bytes()) {
                return;
            }
            left--;
            bytes -= bytesOf(oldest);
            remove(oldest);
        }
    }

    private static String reason(IOException e) {
        boolean bare = e instanceof FileSystemException failed && failed.getReason() == null;
        return bare ? e.getMessage() + ": " + FileReason.of((FileSystemException) e) : String.valueOf(e.getMessage());
    }

    /** Those of this recorder, the oldest first. */
    private List<Path> traces() throws IOException {
        List<Path> traces = new ArrayList<>();
        for (Path each : filesIn(folder)) {
            if (own.matcher(each.getFileName().toString()).matches() && Files.isDirectory(each)) {
                traces.add(each);
            }
        }
        Collections.sort(traces);
        return traces;
    }

    private static List<Path> filesIn(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            all.forEach(files::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return files;
    }

    private static long bytesOf(List<Path> traces) throws IOException {
        long bytes = 0;
        for (Path trace : traces) {
            bytes += bytesOf(trace);
        }
        return bytes;
    }

    /** Somebody else may remove it meanwhile. */
    private static long bytesOf(Path trace) throws IOException {
        long bytes = 0;
        try {
            for (Path file : filesIn(trace)) {
                bytes += Files.size(file);
            }
        } catch (NoSuchFileException e) {
            return bytes;
        }
        return bytes;
    }

    /** One that cannot be removed is passed over: somebody put a folder into it, say. */
    private void remove(Path trace) {
        try {
            for (Path file : filesIn(trace)) {
                Files.delete(file);
            }
            Files.delete(trace);
            removed++;
        } catch (NoSuchFileException e) {
            // Somebody else removes it.
        } catch (IOException e) {
            kept = reason(e);
        }
    }
}
