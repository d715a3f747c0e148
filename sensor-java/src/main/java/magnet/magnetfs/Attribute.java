// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import magnet.os.DataFile;
import magnet.os.OsException;

/**
 * What a reader can ask of a data file, {@code enum magnet_attr}: set and read back by lseek, with an offset made
 * of a magic number, the attribute and its value.
 */
public enum Attribute {
    /** Bytes that must be there before a read returns; 0 = off. */
    READSIZE_WATERMARK(1),
    /** Records that must be there before a read returns; 0 = off. */
    READCOUNT_WATERMARK(2),
    /** Microseconds since the previous read returned before the next one does; 0 = off. */
    MIN_READ_TIMEOUT(3),
    /** Most bytes that one read returns; 0 = as many as fit. */
    MAX_READ_WATERMARK(4),
    /** Microseconds after which whatever is there is returned; 0 = off. */
    MAX_READ_TIMEOUT(5),
    /** What is there now becomes readable; its value is 0. */
    FLUSH(6),
    /** File {@code merged} only: microseconds for which a record waits for older ones of other CPUs. */
    HOLD_BACK(7),
    /**
     * A CPU's own file only, and only to be asked for: the timer up to which all records of it have been read, as of
     * the last FLUSH or read; 0 = that is not known.
     */
    COMPLETE_TO(8);

    /** Longest value of the two timeouts, in microseconds. */
    public static final long TIMEOUT_MAX_US = 3_600_000_000L;

    static final int MAGIC = 0x4d;
    static final int VALUE_BITS = 48;
    static final long VALUE_MASK = (1L << VALUE_BITS) - 1;
    private static final int MAGIC_SHIFT = 56;

    private final int option;

    Attribute(int option) {
        this.option = option;
    }

    /** The attribute's number in the ABI. */
    public int option() {
        return option;
    }

    /** Sets it. */
    public void set(DataFile file, long value) throws OsException {
        file.seek(offset(value));
    }

    /** Reads it back. */
    public long get(DataFile file) throws OsException {
        return file.tell(offset(0));
    }

    /** The offset that means it: {@code MAGNET_ATTR(option, value)}. */
    long offset(long value) {
        if ((value & ~VALUE_MASK) != 0) {
            throw new IllegalArgumentException("not a value of 48 bits: " + name() + "=" + value);
        }
        return (long) MAGIC << MAGIC_SHIFT | (long) option << VALUE_BITS | value;
    }
}
