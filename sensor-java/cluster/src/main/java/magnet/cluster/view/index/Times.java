// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;
import java.util.Arrays;

/**
 * Times that do not fall, one behind the other, in some 4.5 bytes each: of every {@value #BLOCK} the first one (64 bits), and how
 * far the others are behind it (32 bits). A block that is longer than that, which takes seconds, has its times elsewhere. Threads:
 * as the file.
 */
final class Times {
    static final int BLOCK = 16;

    private static final int SHIFT = 4;
    private static final long MASK = BLOCK - 1;
    private static final long OFFSET_MOST = 0xffff_ffffL;

    /** Of each block: its first time, or, if the block is long, less than 0: the complement of its number among the long ones. */
    private final Column firsts;

    private final Column offsets;
    private final Column wide;
    private final long[] block = new long[BLOCK];
    private int filled;
    private long size;

    Times(PagedFile file) {
        this.firsts = Column.ofLongs(file);
        this.offsets = Column.ofInts(file);
        this.wide = Column.ofLongs(file);
    }

    long size() {
        return size;
    }

    /** @param time not negative, and not before the last one */
    void add(long time) throws IOException {
        block[filled++] = time;
        size++;
        if (filled == BLOCK) {
            write();
        }
    }

    void finish() throws IOException {
        if (filled > 0) {
            Arrays.fill(block, filled, BLOCK, block[filled - 1]);
            write();
        }
        firsts.finish();
        offsets.finish();
        wide.finish();
    }

    private void write() throws IOException {
        boolean isLong = block[filled - 1] - block[0] > OFFSET_MOST;
        firsts.addLong(isLong ? ~(wide.size() >>> SHIFT) : block[0]);
        for (long each : block) {
            offsets.addInt(isLong ? 0 : (int) (each - block[0]));
            if (isLong) {
                wide.addLong(each);
            }
        }
        filled = 0;
    }

    long get(long index) {
        long first = firsts.getLong(index >>> SHIFT);
        return first >= 0
                ? first + (offsets.getInt(index) & OFFSET_MOST)
                : wide.getLong((~first << SHIFT) + (index & MASK));
    }

    /** Copies the times of a block; those behind the last one are any. */
    void getBlock(long number, int[] scratch, long[] into) {
        long first = firsts.getLong(number);
        if (first >= 0) {
            offsets.getInts(number << SHIFT, BLOCK, scratch);
            for (int i = 0; i < BLOCK; i++) {
                into[i] = first + (scratch[i] & OFFSET_MOST);
            }
        } else {
            for (int i = 0; i < BLOCK; i++) {
                into[i] = wide.getLong((~first << SHIFT) + i);
            }
        }
    }
}
