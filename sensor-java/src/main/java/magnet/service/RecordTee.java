// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.io.UncheckedIOException;
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
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;

/**
 * Writes down what the summaries got and what they made of it, so that every published number can be computed again.
 *
 * <p>{@code records.raw} has the records as they are, in the order in which they were handed on. {@code windows.jsonl}
 * has a line for each publication: the bytes of records.raw that its window is made of, the events that were lost since
 * the line before, and every value. A time that
 * ended in a window may have begun before it. For one thread.
 */
final class RecordTee implements RecordHandler, AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 18;

    private final RecordHandler next;
    private final FileChannel records;
    private final FileChannel windows;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final Deque<Long> slotBegins = new ArrayDeque<>();
    private final int slots;
    private long written;

    /**
     * @param folder folder for both files, made if it is not there; files of an earlier run are overwritten
     * @param slots slots of the window
     * @param next who gets the records as well
     */
    RecordTee(Path folder, int slots, RecordHandler next) throws IOException {
        this.next = next;
        this.slots = slots;
        Files.createDirectories(folder);
        this.records = open(folder.resolve("records.raw"));
        this.windows = open(folder.resolve("windows.jsonl"));
        slotBegins.addLast(0L);
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int size = record.size();
        if (buffer.remaining() < size) {
            flush();
        }
        buffer.put(record.buffer().duplicate().limit(record.offset() + size).position(record.offset()));
        written += size;
        next.onRecord(record);
    }

    /**
     * Takes note of a publication.
     *
     * @param lost events that were lost in the interval that it ends
     */
    void onWindow(MetricSnapshot snapshot, long lost) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (int i = 0; i < snapshot.size(); i++) {
            boolean text = snapshot.metric(i).type() == ValueType.STRING;
            values.put(snapshot.metric(i).name(), text ? snapshot.text(i) : (Object) snapshot.value(i));
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("taken", snapshot.taken());
        line.put("window_seconds", snapshot.windowSeconds());
        line.put("from_byte", slotBegins.getFirst());
        line.put("to_byte", written);
        line.put("lost", lost);
        line.put("values", values);
        flush();
        try {
            windows.write(ByteBuffer.wrap((Json.of(line) + "\n").getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        slotBegins.addLast(written);
        if (slotBegins.size() > slots) {
            slotBegins.removeFirst();
        }
    }

    @Override
    public void close() throws IOException {
        flush();
        records.close();
        windows.close();
    }

    private void flush() {
        buffer.flip();
        try {
            while (buffer.hasRemaining()) {
                records.write(buffer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        buffer.clear();
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    }
}
