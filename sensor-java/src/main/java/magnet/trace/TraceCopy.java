// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import org.jspecify.annotations.Nullable;

/**
 * Writes records of a trace to another one, with the same parts, files and packets. A packet has the header of its source,
 * so readers find the same losses at the same times in both, and those of its records that are handed on, byte for byte. It
 * may have none. Packets that are larger than the memory for them become several.
 *
 * <p>The metadata is that of the source. It is written at the end: a folder that is not complete is no trace. Memory: as much
 * as its reader takes. Allocates nothing per record. For one thread.
 */
public final class TraceCopy implements RecordHandler, AutoCloseable {
    private static final int ALL_PACKETS_BYTES = 16 << 20;
    private static final int PACKET_BYTES_MIN = 32 << 10;
    private static final int PACKET_BYTES_MAX = 256 << 10;
    private static final int LOST = EventType.LOST.id();

    private final Path source;
    private final List<Path> parts;
    private final String name;
    private final UnfinishedFolder out;
    private final int packetBytes;
    private @Nullable Packet[] packets = new Packet[8];
    private long lost;

    /**
     * A copy of a trace that is to be read.
     *
     * @param out where it goes
     * @param name of the folder for it in there; empty if it has no other
     */
    public TraceCopy(TraceReader trace, UnfinishedFolder out, String name) throws IOException {
        this.source = trace.folder();
        this.parts = trace.parts();
        this.name = name;
        this.out = out;
        this.packetBytes = Math.max(
                PACKET_BYTES_MIN, Math.min(PACKET_BYTES_MAX, ALL_PACKETS_BYTES / Math.max(1, trace.cpus())) & -8);
        for (Path part : parts) {
            folder(part);
        }
        trace.listen(new PacketListener() {
            @Override
            public void onFile(int cpu, Path file, RecordFormats formats) throws IOException {
                packet(cpu).goTo(file, formats);
            }

            @Override
            public void onPacket(int cpu, long begin, long end, long discarded) throws IOException {
                packet(cpu).begin(begin, end, discarded);
            }
        });
    }

    /** @throws UncheckedIOException if it cannot be written */
    @Override
    public void onRecord(RecordFlyweight record) {
        try {
            Objects.requireNonNull(packets[record.cpu()]).add(record);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Events that were lost, as the records say that were handed on. */
    public long lost() {
        return lost;
    }

    /** Writes what is not written yet; all records were handed on. */
    public void end() throws IOException {
        for (Packet packet : packets) {
            if (packet != null) {
                packet.end();
            }
        }
        packets = new Packet[0];
    }

    /** Makes a trace out of what was written. */
    public void describe() throws IOException {
        for (Path part : parts) {
            Path folder = folder(part);
            out.add(folder.resolve(MetadataFile.NAME));
            MetadataFile.write(folder, MetadataFile.read(part));
        }
    }

    @Override
    public void close() throws IOException {
        for (Packet packet : packets) {
            if (packet != null) {
                packet.close();
            }
        }
    }

    private Path folder(Path part) throws IOException {
        Path of = Path.of(name);
        return out.makeFolder((part.equals(source) ? of : of.resolve(part.getFileName())).toString());
    }

    private Packet packet(int cpu) {
        if (cpu >= packets.length) {
            packets = Arrays.copyOf(packets, Math.max(cpu + 1, 2 * packets.length));
        }
        Packet packet = packets[cpu];
        if (packet == null) {
            packet = new Packet(cpu);
            packets[cpu] = packet;
        }
        return packet;
    }

    /** The packet of a CPU that is under way. */
    private final class Packet {
        private final int cpu;
        private final ByteBuffer bytes =
                ByteBuffer.allocateDirect(PacketForm.HEADER_SIZE + packetBytes).order(ByteOrder.nativeOrder());
        private @Nullable RecordFormats formats;
        private @Nullable PacketFile file;
        private boolean open;
        private int size;
        private int last;
        private int lastEvent;
        private int lastSize;
        private long lastTimer;
        private long beginTimer;
        private long endTimer;
        private long discardedBefore;
        private long discarded;

        Packet(int cpu) {
            this.cpu = cpu;
        }

        void goTo(Path from, RecordFormats described) throws IOException {
            end();
            Path part = from.getParent();
            Path to = folder(part == null ? source : part)
                    .resolve(from.getFileName().toString());
            out.add(to);
            file = new PacketFile(to);
            formats = described;
            discarded = 0;
        }

        void begin(long begin, long end, long discardedNow) throws IOException {
            write();
            open = true;
            beginTimer = begin;
            endTimer = end;
            discardedBefore = discarded;
            discarded = discardedNow;
        }

        void add(RecordFlyweight record) throws IOException {
            int recordSize = record.size();
            if (size + recordSize > bytes.capacity()) {
                split(record.timer());
            }
            bytes.put(size, record.buffer(), record.offset(), recordSize);
            last = size;
            lastEvent = record.event();
            lastSize = recordSize;
            lastTimer = record.timer();
            size += recordSize;
            if (lastEvent == LOST) {
                long count = PacketForm.lost(formats(), bytes, last, lastEvent);
                lost += count;
                discardedBefore += count;
            }
            PacketForm.arrange(formats(), bytes, last);
        }

        void end() throws IOException {
            write();
            close();
        }

        void close() throws IOException {
            if (file != null) {
                file.close();
                file = null;
            }
        }

        private RecordFormats formats() {
            return Objects.requireNonNull(formats);
        }

        /** What is there becomes a packet, and what follows another one. */
        private void split(long nextTimer) throws IOException {
            long end = endTimer;
            long discardedAtEnd = discarded;
            endTimer = lastTimer;
            discarded = discardedBefore;
            write();
            open = true;
            beginTimer = nextTimer;
            endTimer = end;
            discarded = discardedAtEnd;
        }

        private void write() throws IOException {
            int end = size;
            if (open) {
                int contentEnd = end == PacketForm.HEADER_SIZE
                        ? PacketForm.NOTHING_END
                        : last + PacketForm.described(formats(), bytes, last, lastEvent, lastSize);
                PacketForm.putHeader(bytes, cpu, beginTimer, endTimer, contentEnd, end, discarded);
                bytes.limit(end).position(0);
                Objects.requireNonNull(file).write(bytes);
                bytes.clear();
            }
            open = false;
            size = PacketForm.HEADER_SIZE;
        }
    }
}
