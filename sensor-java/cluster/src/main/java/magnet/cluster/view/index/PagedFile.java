// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of pages of {@value #PAGE} bytes, which columns share. It is written first, page behind page, and then mapped and read.
 * Written pages are not mapped yet, so that a full disk is an {@link IOException} and not a fault of the JVM.
 *
 * <p>For one thread while it is written; once mapped, for any thread.
 */
final class PagedFile implements AutoCloseable {
    /** Bytes of a page, 2^{@value #PAGE_SHIFT}. */
    static final int PAGE = 1 << 14;

    static final int PAGE_SHIFT = 14;
    private static final int SEGMENT_SHIFT = 30;
    private static final long SEGMENT = 1L << SEGMENT_SHIFT;

    private final Path path;
    private final FileChannel channel;
    private long end;
    private ByteBuffer[] segments = {};

    private PagedFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /** Makes the file, which must not exist. */
    static PagedFile create(Path path) throws IOException {
        return new PagedFile(
                path,
                FileChannel.open(
                        path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    /**
     * Writes a page behind the last one.
     *
     * @param bytes from its position to its limit, at most {@value #PAGE}; what they lack is a hole
     * @return where it begins
     */
    long write(ByteBuffer bytes) throws IOException {
        long at = end;
        long to = at;
        while (bytes.hasRemaining()) {
            to += channel.write(bytes, to);
        }
        end += PAGE;
        return at;
    }

    /** Bytes so far. */
    long size() {
        return end;
    }

    /** There are no more pages: from now on it is read. */
    void map() throws IOException {
        if (end > channel.size()) {
            channel.write(ByteBuffer.allocate(1), end - 1);
        }
        segments = new ByteBuffer[(int) ((end + SEGMENT - 1) >>> SEGMENT_SHIFT)];
        for (int i = 0; i < segments.length; i++) {
            long from = (long) i << SEGMENT_SHIFT;
            segments[i] = channel.map(FileChannel.MapMode.READ_ONLY, from, Math.min(SEGMENT, end - from))
                    .order(ByteOrder.nativeOrder());
        }
    }

    /** The eight bytes at a place, which no page's end cuts. */
    long getLong(long at) {
        return segments[(int) (at >>> SEGMENT_SHIFT)].getLong((int) (at & (SEGMENT - 1)));
    }

    /** The four bytes at a place. */
    int getInt(long at) {
        return segments[(int) (at >>> SEGMENT_SHIFT)].getInt((int) (at & (SEGMENT - 1)));
    }

    /** Copies numbers of four bytes from a place on, which no page's end cuts. */
    void getInts(long at, int count, int[] into) {
        ByteBuffer segment = segments[(int) (at >>> SEGMENT_SHIFT)];
        int from = (int) (at & (SEGMENT - 1));
        for (int i = 0; i < count; i++) {
            into[i] = segment.getInt(from + Integer.BYTES * i);
        }
    }

    /** Removes the file. What is mapped can still be read: the system keeps it until nobody has it. */
    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(path);
    }
}
