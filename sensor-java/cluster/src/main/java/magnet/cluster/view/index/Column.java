// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Numbers of one width, one behind the other, in pages of a {@link PagedFile}. They are added first; they can be read when the
 * file is mapped. Memory: a page while numbers are added, then 8 bytes a page. Threads: as the file.
 */
final class Column {
    private static final int FIRST_ROOM = 256;

    private final PagedFile file;
    private final int widthShift;
    private final int perPageShift;
    private final long indexMask;
    private long[] pages = {};
    private int pageCount;
    private ByteBuffer page = ByteBuffer.allocate(FIRST_ROOM).order(ByteOrder.nativeOrder());
    private long size;

    private Column(PagedFile file, int widthShift) {
        this.file = file;
        this.widthShift = widthShift;
        this.perPageShift = PagedFile.PAGE_SHIFT - widthShift;
        this.indexMask = (1L << perPageShift) - 1;
    }

    /** One of numbers of 64 bits. */
    static Column ofLongs(PagedFile file) {
        return new Column(file, 3);
    }

    /** One of numbers of 32 bits. */
    static Column ofInts(PagedFile file) {
        return new Column(file, 2);
    }

    /** How many there are. */
    long size() {
        return size;
    }

    void addLong(long value) throws IOException {
        room(Long.BYTES);
        page.putLong(value);
        size++;
    }

    void addInt(int value) throws IOException {
        room(Integer.BYTES);
        page.putInt(value);
        size++;
    }

    /** There are no more. */
    void finish() throws IOException {
        if (page.position() > 0) {
            write();
        }
        page = ByteBuffer.allocate(0);
        pages = Arrays.copyOf(pages, pageCount);
    }

    long getLong(long index) {
        return file.getLong(place(index));
    }

    int getInt(long index) {
        return file.getInt(place(index));
    }

    /**
     * Copies numbers of 32 bits that lie within one page, as {@value Times#BLOCK} do from a multiple of it on.
     *
     * @param count how many, of which some may be behind the last one: those are any
     */
    void getInts(long from, int count, int[] into) {
        file.getInts(place(from), (int) Math.min(count, size - from), into);
    }

    private long place(long index) {
        return pages[(int) (index >>> perPageShift)] + ((index & indexMask) << widthShift);
    }

    /** A column of few numbers takes little memory: its page grows. */
    private void room(int bytes) throws IOException {
        if (page.remaining() >= bytes) {
            return;
        }
        if (page.capacity() < PagedFile.PAGE) {
            page = ByteBuffer.allocate(page.capacity() * 2)
                    .order(ByteOrder.nativeOrder())
                    .put(page.flip());
        } else {
            write();
        }
    }

    private void write() throws IOException {
        if (pageCount == pages.length) {
            pages = Arrays.copyOf(pages, Math.max(4, 2 * pageCount));
        }
        pages[pageCount++] = file.write(page.flip());
        page.clear();
    }
}
