// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import magnet.metric.MetricSnapshot;
import magnet.metric.ValueType;
import magnet.os.FileReason;
import magnet.record.RecordBatch;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down what the summaries got and what they made of it, so that every published number can be computed again.
 *
 * <p>{@code records.raw} has the records from the first window on as they are, in the order in which they were handed on.
 * {@code windows.jsonl} has a line for each publication: the bytes of records.raw that its window is made of, the events that were lost since
 * the line before, and every value. A time that
 * ended in a window may have begun before it.
 *
 * <p>When a file cannot be written any more, because the disk is full say, that is logged once, both are closed, and the
 * records are only handed on. For one thread.
 */
final class RecordTee implements RecordHandler, AutoCloseable {
    static final String RECORDS = "records.raw";
    static final String WINDOWS = "windows.jsonl";

    private static final Logger LOGGER = LoggerFactory.getLogger(RecordTee.class);
    private static final int BUFFER_BYTES = 1 << 18;

    private final Path folder;
    private final RecordHandler next;
    private final FileChannel records;
    private final FileChannel windows;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final Deque<Long> slotBegins = new ArrayDeque<>();
    private final int slots;
    private boolean begun;
    private long written;
    private boolean broken;

    /**
     * @param folder folder for both files, made if it is not there; files of an earlier run are overwritten
     * @param slots slots of the window
     * @param next who gets the records as well
     * @throws ServiceException if they cannot be made
     */
    RecordTee(Path folder, int slots, RecordHandler next) throws ServiceException {
        this.folder = folder;
        this.next = next;
        this.slots = slots;
        try {
            Files.createDirectories(folder);
            this.records = open(folder.resolve(RECORDS));
            this.windows = open(folder.resolve(WINDOWS));
        } catch (IOException e) {
            throw new ServiceException(ExitCode.CONFIGURATION, complaint(folder, "") + FileReason.of(e), e);
        }
        slotBegins.addLast(0L);
    }

    /** @param file in the folder; empty for the folder itself */
    static String complaint(Path folder, String file) {
        return "tee-directory " + folder.resolve(file) + ": cannot be written: ";
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        write(record);
        next.onRecord(record);
    }

    /** Handed on by the batch, as it came: what is looked at with a tee is what runs without one. */
    @Override
    public void onRecords(RecordBatch records) {
        for (int i = 0; i < records.size(); i++) {
            write(records.at(records.place(i)));
        }
        next.onRecords(records);
    }

    @Override
    public void onGap(int cpu) {
        next.onGap(cpu);
    }

    @Override
    public void onNewEpoch() {
        next.onNewEpoch();
    }

    private void write(RecordFlyweight record) {
        if (broken || !begun) {
            return;
        }
        int size = record.size();
        if (buffer.remaining() < size) {
            flush();
        }
        buffer.put(record.buffer().duplicate().limit(record.offset() + size).position(record.offset()));
        written += size;
    }

    /** The first window begins now: what came so far is in none, and was not written. */
    void begin() {
        begun = true;
    }

    /**
     * What a publication is made of.
     *
     * @param fromByte first byte of the records
     * @param toByte byte behind the last
     * @param lost events that were lost in the interval that it ends
     */
    record Mark(long fromByte, long toByte, long lost) {}

    /** A window ends now. */
    Mark mark(long lost) {
        Mark mark = new Mark(slotBegins.getFirst(), written, lost);
        slotBegins.addLast(written);
        if (slotBegins.size() > slots) {
            slotBegins.removeFirst();
        }
        return mark;
    }

    /** The publication that it came to was made. */
    void onWindow(Mark mark, MetricSnapshot snapshot) {
        if (broken) {
            return;
        }
        Map<String, Object> values = new LinkedHashMap<>();
        for (int i = 0; i < snapshot.size(); i++) {
            boolean text = snapshot.metric(i).type() == ValueType.STRING;
            values.put(snapshot.metric(i).name(), text ? snapshot.text(i) : (Object) snapshot.value(i));
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("taken", snapshot.taken());
        line.put("window_seconds", snapshot.windowSeconds());
        line.put("from_byte", mark.fromByte());
        line.put("to_byte", mark.toByte());
        line.put("lost", mark.lost());
        line.put("values", values);
        flush();
        write(windows, WINDOWS, ByteBuffer.wrap((Json.of(line) + "\n").getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void close() {
        flush();
        close(records, RECORDS);
        close(windows, WINDOWS);
    }

    private void flush() {
        buffer.flip();
        write(records, RECORDS, buffer);
        buffer.clear();
    }

    private void write(FileChannel to, String name, ByteBuffer bytes) {
        try {
            while (!broken && bytes.hasRemaining()) {
                to.write(bytes);
            }
        } catch (IOException e) {
            giveUp(name, e);
            close(records, RECORDS);
            close(windows, WINDOWS);
        }
    }

    /** Some file systems say only now that there is no room. */
    private void close(FileChannel channel, String name) {
        try {
            channel.close();
        } catch (IOException e) {
            giveUp(name, e);
        }
    }

    private void giveUp(String name, IOException e) {
        if (!broken) {
            LOGGER.error(
                    "{}{}; nothing more is written there, all else goes on", complaint(folder, name), FileReason.of(e));
        }
        broken = true;
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    }
}
