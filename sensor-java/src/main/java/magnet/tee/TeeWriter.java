// SPDX-License-Identifier: Apache-2.0
package magnet.tee;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import magnet.agent.Agent;
import magnet.agent.Handover;
import magnet.os.FileReason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what a {@link RecordTee} hands over, in the order in which it does, on a thread of its own: a disk may take as long as
 * it likes. The collector takes an empty chunk, fills it and hands it over; while all wait for the disk there is none.
 *
 * <p>Memory: {@value #CHUNKS} chunks of {@value #CHUNK_BYTES} bytes. {@link #emptyChunk}, {@link #write} and
 * {@link #noteUnwritten} are for the collector's thread, {@link #finish} and {@link #isBroken} for any.
 */
final class TeeWriter implements Agent {
    static final String RECORDS = "records.raw";
    static final String WINDOWS = "windows.jsonl";
    static final int CHUNKS = 16;
    static final int CHUNK_BYTES = 1 << 18;

    private static final Logger LOGGER = LoggerFactory.getLogger(TeeWriter.class);
    private static final int LINES = 64;

    /** Opens a file to be written; what was in it is gone. */
    @FunctionalInterface
    interface Opener {
        /** Opens it. */
        WritableByteChannel open(Path file) throws IOException;
    }

    /** Something to be written. */
    private sealed interface Work permits Chunk, Line {}

    /** Memory for records: of whoever has it at the moment. */
    static final class Chunk implements Work {
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(CHUNK_BYTES);

        /** Puts so many bytes of a buffer in, if there is room for them. */
        boolean put(ByteBuffer from, int offset, int size) {
            if (bytes.remaining() < size) {
                return false;
            }
            bytes.put(bytes.position(), from, offset, size);
            bytes.position(bytes.position() + size);
            return true;
        }
    }

    /** A line of windows.jsonl, which is made when it is written. */
    private record Line(Supplier<byte[]> text) implements Work {}

    private final Path folder;
    private final WritableByteChannel records;
    private final WritableByteChannel windows;
    private final Handover<Chunk> empty = new Handover<>(CHUNKS);
    /** Has room for all chunks, however many lines there are. */
    private final Handover<Work> work = new Handover<>(CHUNKS + LINES);

    private final AtomicInteger lines = new AtomicInteger();
    private final AtomicLong unwritten = new AtomicLong();
    private final Semaphore waiting = new Semaphore(0);
    private boolean saidUnwritten;
    private volatile boolean broken;
    private volatile boolean finishing;

    /** @throws IOException if the files cannot be made */
    TeeWriter(Path folder, Opener opener) throws IOException {
        this.folder = folder;
        Files.createDirectories(folder);
        this.records = opener.open(folder.resolve(RECORDS));
        this.windows = opener.open(folder.resolve(WINDOWS));
        for (int i = 0; i < CHUNKS; i++) {
            empty.offer(new Chunk());
        }
    }

    /** @param file in the folder; empty for the folder itself */
    static String complaint(Path folder, String file) {
        return "tee-directory " + folder.resolve(file) + ": cannot be written: ";
    }

    /** Memory for records; null while all of it waits for the disk. */
    @Nullable
    Chunk emptyChunk() {
        return empty.poll();
    }

    /** Hands records over. The chunk is not the caller's any more. */
    void write(Chunk chunk) {
        work.offer(chunk);
        waiting.release();
    }

    /** Hands a line over; returns false if too many wait for the disk. */
    boolean write(Supplier<byte[]> line) {
        if (lines.get() == LINES) {
            return false;
        }
        lines.incrementAndGet();
        work.offer(new Line(line));
        waiting.release();
        return true;
    }

    /** So many records have found no room in all. */
    void noteUnwritten(long records) {
        unwritten.lazySet(records);
    }

    /** Whether nothing is written any more, because a file could not be. */
    boolean isBroken() {
        return broken;
    }

    /** Nothing more will be handed over: it ends when all is written. */
    void finish() {
        finishing = true;
        waiting.release();
    }

    @Override
    public String roleName() {
        return "magnet-tee";
    }

    @Override
    public void wakeUp() {
        waiting.release();
    }

    @Override
    public int doWork() throws InterruptedException {
        boolean last = finishing;
        int done = 0;
        for (Work next = work.poll(); next != null; next = work.poll()) {
            write(next);
            done++;
        }
        sayUnwritten();
        if (last) {
            return OVER;
        }
        if (done == 0) {
            waiting.acquire();
            waiting.drainPermits();
        }
        return done;
    }

    @Override
    public void onClose() {
        close(records, RECORDS);
        close(windows, WINDOWS);
    }

    private void write(Work next) {
        if (next instanceof Chunk chunk) {
            write(records, RECORDS, chunk.bytes.flip());
            chunk.bytes.clear();
            empty.offer(chunk);
        } else if (next instanceof Line line) {
            write(windows, WINDOWS, ByteBuffer.wrap(line.text.get()));
            lines.decrementAndGet();
        }
    }

    private void write(WritableByteChannel to, String name, ByteBuffer bytes) {
        try {
            while (!broken && bytes.hasRemaining()) {
                to.write(bytes);
            }
        } catch (IOException e) {
            giveUp(name, e);
            onClose();
        }
    }

    /** Some file systems say only now that there is no room. */
    private void close(WritableByteChannel channel, String name) {
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

    private void sayUnwritten() {
        if (!saidUnwritten && !broken && unwritten.get() > 0) {
            saidUnwritten = true;
            LOGGER.warn(
                    "tee-directory {}: the disk is too slow, and records are not written; windows.jsonl counts them"
                            + " (said once)",
                    folder);
        }
    }
}
