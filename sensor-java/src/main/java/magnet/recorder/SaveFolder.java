// SPDX-License-Identifier: Apache-2.0
package magnet.recorder;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

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
    private final Pattern own;

    /** @param wall the wall clock */
    public SaveFolder(Path folder, String recorder, Bounds bounds, InstantSource wall) {
        this.folder = folder;
        this.recorder = recorder;
        this.bounds = bounds;
        this.wall = wall;
        this.own = Pattern.compile(Pattern.quote(recorder) + "-\\d{8}T\\d{6}\\.\\d{3}Z");
    }

    /**
     * Saves what the flight recorder holds, in a folder of its own in this one.
     *
     * @throws RecorderException also if the trace alone would be more than may be there
     */
    public Saved save(RecorderSave save) throws IOException {
        Files.createDirectories(folder);
        long wanted = save.mostBytes(recorder);
        if (wanted > bounds.bytes()) {
            throw new RecorderException(folder + ": flight recorder " + recorder + " may hold " + wanted
                    + " bytes, and the traces there may take no more than " + bounds.bytes());
        }
        makeRoom(wanted);
        return save.save(recorder, folder.resolve(recorder + "-" + TIME.format(wall.instant())), bounds.freeBytes());
    }

    /** Nothing is removed where that would not be enough. */
    private void makeRoom(long wanted) throws IOException {
        List<Path> traces = traces();
        long bytes = 0;
        for (Path trace : traces) {
            bytes += bytesOf(trace);
        }
        long free = Files.getFileStore(folder).getUsableSpace() - bounds.freeBytes();
        if (free + bytes < wanted) {
            return; // who saves says so
        }
        int left = traces.size();
        for (Path oldest : traces) {
            boolean fits = left < bounds.traces()
                    && bytes + wanted <= bounds.bytes()
                    && Files.getFileStore(folder).getUsableSpace() - bounds.freeBytes() >= wanted;
            if (fits) {
                return;
            }
            bytes -= bytesOf(oldest);
            remove(oldest);
            left--;
        }
    }

    /** Those of this recorder, the oldest first. */
    private List<Path> traces() throws IOException {
        List<Path> traces = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, Files::isDirectory)) {
            for (Path each : all) {
                if (own.matcher(each.getFileName().toString()).matches()) {
                    traces.add(each);
                }
            }
        }
        Collections.sort(traces);
        return traces;
    }

    private static long bytesOf(Path trace) throws IOException {
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(trace)) {
            for (Path file : files) {
                bytes += Files.size(file);
            }
        }
        return bytes;
    }

    private static void remove(Path trace) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(trace)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(trace);
    }
}
