// SPDX-License-Identifier: Apache-2.0
package magnet.tee;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import magnet.agent.AgentHealth;
import magnet.agent.AgentRunner;
import magnet.json.Json;
import magnet.metric.MetricSnapshot;
import magnet.metric.ValueType;
import magnet.os.FileReason;
import magnet.record.RecordBatch;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down what the summaries got and what they made of it, so that every published number can be computed again.
 *
 * <p>{@code records.raw} has the records from the first window on as they are, in the order in which they were handed on.
 * {@code windows.jsonl} has a line for each publication: the bytes of records.raw that its window is made of, the events that were lost since
 * the line before, the records and lines since then that are not there because the disk was too slow, and every value. A time that
 * ended in a window may have begun before it.
 *
 * <p>A {@link TeeWriter} writes; nothing here waits for it, and nothing is allocated for a record. When a file cannot be
 * written any more, because the disk is full say, that is logged once, both are closed, and the records are only handed on.
 * For one thread.
 */
public final class RecordTee implements RecordHandler, AutoCloseable {
    /** The file of records. */
    public static final String RECORDS = TeeWriter.RECORDS;

    /** The file of windows. */
    public static final String WINDOWS = TeeWriter.WINDOWS;

    private static final Logger LOGGER = LoggerFactory.getLogger(RecordTee.class);
    /** How long the end waits for a disk. */
    private static final Duration LAST_WRITES = Duration.ofSeconds(20);

    private final Path folder;
    private final RecordHandler next;
    private final TeeWriter writer;
    private final AgentRunner runner;
    private final Deque<Long> slotBegins = new ArrayDeque<>();
    private final int slots;
    private TeeWriter.@Nullable Chunk chunk;
    private boolean begun;
    private boolean filled;
    private long written;
    private long unwritten;
    private long unwrittenBefore;

    /**
     * @param folder folder for both files, made if it is not there; files of an earlier run are overwritten
     * @param slots slots of the window
     * @param next who gets the records as well
     * @param health hears of the thread that writes
     * @throws IOException if they cannot be made; says which and why
     */
    public RecordTee(Path folder, int slots, RecordHandler next, AgentHealth health) throws IOException {
        this(folder, slots, next, health, RecordTee::open);
    }

    /** The same with files of another kind. */
    RecordTee(Path folder, int slots, RecordHandler next, AgentHealth health, TeeWriter.Opener opener)
            throws IOException {
        this.folder = folder;
        this.next = next;
        this.slots = slots;
        try {
            this.writer = new TeeWriter(folder, opener);
        } catch (IOException e) {
            throw new IOException(complaint(folder, "") + FileReason.of(e), e);
        }
        this.runner = AgentRunner.start(writer, health);
        slotBegins.addLast(0L);
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
    public void onNewEpoch(int cpus) {
        next.onNewEpoch(cpus);
    }

    private void write(RecordFlyweight record) {
        if (!begun || writer.isBroken()) {
            return;
        }
        int size = record.size();
        if (put(record, size)) {
            written += size;
            filled = true;
        } else {
            unwritten++;
            writer.noteUnwritten(unwritten);
        }
    }

    private boolean put(RecordFlyweight record, int size) {
        if (chunk != null && chunk.put(record.buffer(), record.offset(), size)) {
            return true;
        }
        handOver();
        chunk = writer.emptyChunk();
        return chunk != null && chunk.put(record.buffer(), record.offset(), size);
    }

    private void handOver() {
        if (chunk != null && filled) {
            writer.write(chunk);
            chunk = null;
            filled = false;
        }
    }

    /** The first window begins now: what came so far is in none, and was not written. */
    public void begin() {
        begun = true;
    }

    /**
     * What a publication is made of.
     *
     * @param fromByte first byte of the records
     * @param toByte byte behind the last
     * @param lost events that were lost in the interval that it ends
     * @param unwritten records and lines of that interval that are not in the files
     */
    public record Mark(long fromByte, long toByte, long lost, long unwritten) {}

    /** A window ends now. */
    public Mark mark(long lost) {
        Mark mark = new Mark(slotBegins.getFirst(), written, lost, unwritten - unwrittenBefore);
        unwrittenBefore = unwritten;
        slotBegins.addLast(written);
        if (slotBegins.size() > slots) {
            slotBegins.removeFirst();
        }
        return mark;
    }

    /** The publication that it came to was made. */
    public void onWindow(Mark mark, MetricSnapshot snapshot) {
        if (!writer.isBroken()) {
            handOver();
            if (!writer.write(() -> line(mark, snapshot))) {
                writer.noteUnwritten(++unwritten);
            }
        }
    }

    private static byte[] line(Mark mark, MetricSnapshot snapshot) {
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
        line.put("unwritten", mark.unwritten());
        line.put("values", values);
        return (Json.of(line) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Waits until all is written, but not for ever. */
    @Override
    public void close() {
        handOver();
        writer.finish();
        if (!runner.await(LAST_WRITES)) {
            LOGGER.error("{}the disk does not answer; the last records are missing", complaint(folder, ""));
        }
        runner.close();
    }

    /**
     * The beginning of a line that says what is wrong with the folder.
     *
     * @param file in the folder; empty for the folder itself
     */
    public static String complaint(Path folder, String file) {
        return TeeWriter.complaint(folder, file);
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    }
}
