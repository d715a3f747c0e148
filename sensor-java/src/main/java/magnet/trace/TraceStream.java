// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.Validity;
import org.jspecify.annotations.Nullable;

/**
 * The records of one CPU, file after file. Reads through a window of fixed size, whatever a packet says of its own, and
 * puts each record's header back in its order there. What cannot be is counted and passed over: a record that can't be
 * told from its neighbours takes the rest of its packet with it, a packet without a good header all up to the next one.
 * Allocates for each file, not for each record. For one thread.
 *
 * <pre>
 *   0        head            tail        capacity
 *   +---------+---------------+-------------+
 *   | passed  |  read ahead   |    room     |
 *   +---------+---------------+-------------+
 * </pre>
 */
final class TraceStream implements AutoCloseable {
    private static final int CLOCK = EventType.CLOCK.id();
    private static final int STEP = RecordFlyweight.ALIGNMENT;
    /** Four times the largest that magnet writes: a damaged length is not to swallow what follows it. */
    private static final long PACKET_BITS_MAX = (1L << 20) * Byte.SIZE;

    /** A file of packets, and how its records are described. */
    record Part(Path file, RecordFormats formats) {}

    private final int cpu;
    private final List<Part> parts = new ArrayList<>();
    private final ByteBuffer window;
    private final int headerSize;
    private final RecordFlyweight record;
    private PacketListener listener = PacketListener.NOBODY;
    private int nextPart;
    private @Nullable FileChannel channel;
    private RecordFormats formats;
    private String file = "";
    private long windowOffset;
    private int head;
    private int tail;
    private boolean atEnd = true;
    private long packetLeft;
    private int size;
    private long timer;
    private int epoch;
    private boolean epochKnown;

    private String defectFile = "";
    private long defectOffset;
    private long malformed;
    private long skipped;
    private long missing;

    /**
     * A stream that stands before its first record.
     *
     * @param parts at least one; all of one layout
     * @param windowBytes memory; at least two largest records
     */
    TraceStream(int cpu, List<Part> parts, int windowBytes) {
        this.cpu = cpu;
        this.parts.addAll(parts);
        this.formats = parts.get(0).formats();
        this.headerSize = formats.layout().headerSize();
        this.record = new RecordFlyweight(formats.layout());
        this.window = ByteBuffer.allocateDirect(windowBytes).order(ByteOrder.nativeOrder());
    }

    int cpu() {
        return cpu;
    }

    /** From now on tells of files and packets. */
    void listen(PacketListener wanted) {
        listener = wanted;
    }

    /** The record that {@link #next} went to. */
    RecordFlyweight record() {
        return record;
    }

    /** Its timer. */
    long timer() {
        return timer;
    }

    /** Of which epoch of the timer that is, as the last CLOCK record said. */
    int epoch() {
        return epoch;
    }

    /** Whether there was a CLOCK record yet. */
    boolean knowsEpoch() {
        return epochKnown;
    }

    /** Goes to the next record; returns false at the end of the last file. */
    boolean next() throws IOException {
        head += size;
        packetLeft -= size;
        size = 0;
        while (true) {
            if (packetLeft == 0 && !nextPacket()) {
                return false;
            }
            if (packetLeft > 0 && isRecord()) {
                return true;
            }
        }
    }

    /** What was wrong so far, if anything was. */
    Optional<TraceDefects> defects() {
        return malformed == 0 && missing == 0
                ? Optional.empty()
                : Optional.of(new TraceDefects(defectFile, defectOffset, malformed, skipped, missing));
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
            channel = null;
        }
    }

    /** Looks at what is at the head, in a packet. If it is no good record, it is passed over. */
    private boolean isRecord() throws IOException {
        if (tail - head < RecordFlyweight.SIZE_MAX && tail - head < packetLeft) {
            fill();
        }
        int available = (int) Math.min(packetLeft, tail - head);
        if (available >= headerSize) {
            PacketForm.restore(formats, window, head);
            Validity validity = record.wrap(window, head).validity(head + available);
            if (validity == Validity.VALID && isOfThisStream()) {
                size = record.size();
                timer = record.timer();
                if (record.event() == CLOCK) {
                    noteEpoch();
                }
                return true;
            }
            if (validity != Validity.TRUNCATED || available == packetLeft) {
                passRecord(available);
                return false;
            }
        }
        if (available == packetLeft) {
            passRecord(available);
        } else {
            cut(packetLeft - available);
        }
        return false;
    }

    /** An epoch never comes again: a CLOCK record of an older one, of a part that was written before, changes nothing. */
    private void noteEpoch() {
        int said = (int) record.payloadU32(Payload.CLOCK_EPOCH_OFFSET);
        if (!epochKnown || said - epoch > 0) {
            epoch = said;
            epochKnown = true;
        }
    }

    /** Of this CPU, and of an event that is described, with all its fields. */
    private boolean isOfThisStream() {
        int least = formats.fixedSize(record.event());
        return record.cpu() == cpu && least > 0 && record.size() >= least;
    }

    /** Passes over a record, or all that is left of its packet if its length can't be believed. */
    private void passRecord(int available) throws IOException {
        note(head);
        malformed++;
        int claimed = available < headerSize ? 0 : record.size();
        boolean believable = claimed >= headerSize && claimed <= available && claimed % STEP == 0;
        pass(believable ? claimed : packetLeft);
    }

    private void pass(long bytes) throws IOException {
        long left = bytes;
        packetLeft -= bytes;
        while (left > 0) {
            int step = (int) Math.min(left, tail - head);
            head += step;
            skipped += step;
            left -= step;
            if (left > 0 && !fill()) {
                missing += left;
                packetLeft = 0;
                return;
            }
        }
    }

    /** The file ends within a packet. */
    private void cut(long lacking) {
        note(tail);
        missing += lacking;
        head = tail;
        packetLeft = 0;
    }

    /** Goes behind the header of the next packet that has records; returns false at the end of the last file. */
    private boolean nextPacket() throws IOException {
        boolean searching = false;
        while (true) {
            if (tail - head < PacketForm.HEADER_SIZE) {
                fill();
            }
            int available = tail - head;
            if (available < PacketForm.HEADER_SIZE) {
                if (searching) {
                    skipped += available;
                } else if (available > 0) {
                    cut(PacketForm.HEADER_SIZE - available);
                }
                head = tail;
                if (!nextFile()) {
                    return false;
                }
                searching = false;
            } else if (isPacketHeader()) {
                packetLeft = (window.getLong(head + PacketForm.PACKET_BITS_OFFSET) >>> 3) - PacketForm.HEADER_SIZE;
                listener.onPacket(
                        cpu,
                        window.getLong(head + PacketForm.TIMESTAMP_BEGIN_OFFSET),
                        window.getLong(head + PacketForm.TIMESTAMP_END_OFFSET),
                        window.getLong(head + PacketForm.EVENTS_DISCARDED_OFFSET));
                head += PacketForm.HEADER_SIZE;
                if (packetLeft > 0) {
                    return true;
                }
                searching = false;
            } else {
                if (!searching) {
                    note(head);
                    malformed++;
                }
                searching = true;
                skipped += STEP;
                head += STEP;
            }
        }
    }

    private boolean isPacketHeader() {
        long packetBits = window.getLong(head + PacketForm.PACKET_BITS_OFFSET);
        long contentBits = window.getLong(head + PacketForm.CONTENT_BITS_OFFSET);
        return window.getInt(head + PacketForm.MAGIC_OFFSET) == PacketForm.MAGIC
                && window.getInt(head + PacketForm.STREAM_ID_OFFSET) == 0
                && window.getInt(head + PacketForm.CPU_OFFSET) == cpu
                && packetBits >= PacketForm.HEADER_SIZE * (long) Byte.SIZE
                && packetBits <= PACKET_BITS_MAX
                && packetBits % (STEP * (long) Byte.SIZE) == 0
                && contentBits >= 0
                && contentBits <= packetBits;
    }

    private boolean nextFile() throws IOException {
        close();
        if (nextPart == parts.size()) {
            return false;
        }
        Part part = parts.get(nextPart++);
        formats = part.formats();
        file = part.file().toString();
        channel = FileChannel.open(part.file(), StandardOpenOption.READ);
        atEnd = false;
        windowOffset = 0;
        head = 0;
        tail = 0;
        listener.onFile(cpu, part.file(), formats);
        return true;
    }

    /** Reads on behind the tail; returns false at the end of the file. */
    private boolean fill() throws IOException {
        if (atEnd || channel == null) {
            return false;
        }
        window.limit(tail).position(head);
        window.compact();
        windowOffset += head;
        tail -= head;
        head = 0;
        while (window.hasRemaining()) {
            int got = channel.read(window);
            if (got < 0) {
                atEnd = true;
                break;
            }
        }
        boolean more = window.position() > tail;
        tail = window.position();
        window.clear();
        return more;
    }

    private void note(int index) {
        if (defectFile.isEmpty()) {
            defectFile = file;
            defectOffset = windowOffset + index;
        }
    }
}
