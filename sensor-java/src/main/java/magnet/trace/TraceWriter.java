// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.record.Validity;
import org.jspecify.annotations.Nullable;

/**
 * Writes one trace: a folder with {@code metadata} and a file {@code cpuN} of packets for each CPU. A batch of records,
 * as one read gave it, makes one packet.
 *
 * <p>At every moment the folder is a trace that can be read: a packet that could not be written whole, because the disk
 * is full, is taken away again, and events are described before a packet has them. For one thread.
 */
public final class TraceWriter implements AutoCloseable {

    /** Tells what the module's records look like, whenever it is asked. */
    @FunctionalInterface
    public interface FormatSource {
        /** The lines of {@code control/format}. */
        List<String> lines() throws IOException;
    }

    /**
     * What a trace says of where it comes from.
     *
     * @param layout the layout that the module writes
     * @param clock what its timer is in the time of day
     * @param abiVersion version of its ABI
     * @param host name of the machine
     * @param machine its architecture, as {@code uname -m} calls it; empty if that is not known
     * @param dropReasons what its kernel calls its reasons to drop a packet, by number; empty if that is not known
     */
    public record Origin(
            RecordLayout layout,
            TraceClock clock,
            int abiVersion,
            String host,
            String machine,
            Map<Integer, String> dropReasons) {
        public Origin {
            dropReasons = Map.copyOf(dropReasons);
        }
    }

    private static final int BUFFER_BYTES = 256 * 1024;

    private final Path folder;
    private final Origin origin;
    private final FormatSource source;
    private final RecordFormats formats;
    private final RecordFlyweight record;
    private final SortedMap<Integer, Stream> streams = new TreeMap<>();
    private ByteBuffer packet = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.nativeOrder());
    private Map<Integer, String> processNames = Map.of();
    private @Nullable TraceOwners owners;
    private @Nullable Overwritten overwritten;
    private long bytes;

    /**
     * Begins a trace.
     *
     * @param folder is made; if it is there it must be empty
     * @throws FileAlreadyExistsException if it is not
     */
    public TraceWriter(Path folder, Origin origin, FormatSource source) throws IOException {
        this.folder = folder;
        this.origin = origin;
        this.source = source;
        this.formats = new RecordFormats(origin.layout());
        this.record = new RecordFlyweight(origin.layout());
        makeEmpty(folder);
        ControlFormat.addTo(formats, source.lines());
        writeMetadata();
    }

    /** Makes a folder, or sees to it that there is nothing in it. */
    static void makeEmpty(Path folder) throws IOException {
        Files.createDirectories(folder);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            if (files.iterator().hasNext()) {
                throw new FileAlreadyExistsException(
                        folder.toString(), null, "it is not empty; a trace wants a folder of its own");
            }
        }
    }

    /**
     * Writes whole records of a CPU as a packet.
     *
     * @param batch has them in native byte order, and keeps them as they are
     * @param length bytes; nothing happens if there are none
     */
    public void write(int cpu, ByteBuffer batch, int offset, int length) throws IOException {
        if (length == 0) {
            return;
        }
        if (packet.capacity() < PacketForm.HEADER_SIZE + length) {
            packet = ByteBuffer.allocateDirect(PacketForm.HEADER_SIZE + length).order(ByteOrder.nativeOrder());
        }
        packet.clear();
        packet.put(PacketForm.HEADER_SIZE, batch, offset, length);
        int end = PacketForm.HEADER_SIZE + length;
        describeAll(end);
        Stream stream = streams.get(cpu);
        if (stream == null) {
            stream = new Stream(folder.resolve("cpu" + cpu));
            streams.put(cpu, stream);
        }
        long lost = arrange(cpu, end, stream.lost);
        packet.limit(end);
        stream.file.write(packet);
        stream.lost = lost;
        bytes += end;
    }

    /**
     * Says what processes are called.
     *
     * @param names by process, each character a byte of it
     */
    public void name(Map<Integer, String> names) throws IOException {
        if (!names.equals(processNames)) {
            processNames = Map.copyOf(names);
            writeMetadata();
        }
    }

    /** Says what it says of owners; null if it tells none. */
    public void own(@Nullable TraceOwners known) throws IOException {
        owners = known;
        writeMetadata();
    }

    /** Says what is not there, since a flight recorder had given it up. */
    public void overwritten(Overwritten before) throws IOException {
        overwritten = before;
        writeMetadata();
    }

    /** Bytes of packets so far. */
    public long bytes() {
        return bytes;
    }

    /** Where it is written to. */
    public Path folder() {
        return folder;
    }

    @Override
    public void close() throws IOException {
        for (Stream stream : streams.values()) {
            stream.file.close();
        }
    }

    /** Looks at the events of a packet; one that came after the metadata was written is described first. */
    private void describeAll(int end) throws IOException {
        for (int at = PacketForm.HEADER_SIZE; at < end; at += record.size()) {
            if (record.wrap(packet, at).validity(end) != Validity.VALID) {
                throw new TraceFormatException("the module gave a record that cannot be: event " + record.event());
            }
            if (!formats.isDescribed(record.event())) {
                ControlFormat.addTo(formats, source.lines());
                if (!formats.isDescribed(record.event())) {
                    // Its point may be gone already.
                    formats.add(EventFormat.nameless(record.event()));
                }
                writeMetadata();
            }
        }
    }

    /** Puts the packet into its form. Returns the events lost up to its end. */
    private long arrange(int cpu, int end, long lostBefore) {
        long lost = lostBefore;
        long last = 0;
        int contentEnd = 0;
        long first = record.wrap(packet, PacketForm.HEADER_SIZE).timer();
        int size;
        for (int at = PacketForm.HEADER_SIZE; at < end; at += size) {
            record.wrap(packet, at);
            size = record.size();
            int event = record.event();
            lost += PacketForm.lost(formats, packet, at, event);
            last = record.timer();
            if (at + size >= end) {
                contentEnd = at + PacketForm.described(formats, packet, at, event, size);
            }
            PacketForm.arrange(formats, packet, at);
        }
        PacketForm.putHeader(packet, cpu, first, last, contentEnd, end, lost);
        return lost;
    }

    /** Who reads it meanwhile has the old one or the new one. */
    private void writeMetadata() throws IOException {
        String text = Metadata.of(formats, origin, processNames, owners, overwritten);
        MetadataFile.write(folder, text.getBytes(StandardCharsets.UTF_8));
    }

    private static final class Stream {
        private final PacketFile file;
        private long lost;

        Stream(Path file) throws IOException {
            this.file = new PacketFile(file);
        }
    }
}
