// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes messages of Protocol Buffers into memory that grows. A message within another one is written where it stands:
 * its length is put in front of it when it ends, so that nothing is measured or copied beforehand, as a library's writers
 * want it. For one thread.
 *
 * <p>Source of the format: <a href="https://protobuf.dev/programming-guides/encoding/">Encoding</a>.
 */
final class ProtoWriter {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH_DELIMITED = 2;
    private static final int TYPE_BITS = 3;
    private static final int VARINT_BITS = 7;
    private static final int VARINT_MORE = 0x80;
    private static final int VARINT_BYTES_MAX = 10;
    private static final int DEPTH_MAX = 8;

    private byte[] bytes = new byte[1 << 10];
    private int size;
    private final int[] begins = new int[DEPTH_MAX];
    private int depth;

    /** A number; negative ones take ten bytes, as int32, int64 and enumerations have them. */
    void number(int field, long value) {
        tag(field, VARINT);
        room(VARINT_BYTES_MAX);
        size = putVarint(size, value);
    }

    /** A number that takes eight bytes. */
    void fixed64(int field, long value) {
        tag(field, FIXED64);
        room(Long.BYTES);
        for (int i = 0; i < Long.BYTES; i++) {
            bytes[size++] = (byte) (value >>> (i * Byte.SIZE));
        }
    }

    void text(int field, String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        tag(field, LENGTH_DELIMITED);
        room(VARINT_BYTES_MAX + utf8.length);
        size = putVarint(size, utf8.length);
        System.arraycopy(utf8, 0, bytes, size, utf8.length);
        size += utf8.length;
    }

    /** What follows, up to {@link #end}, is a message of its own. */
    void begin(int field) {
        tag(field, LENGTH_DELIMITED);
        room(1);
        size++;
        begins[depth++] = size;
    }

    /** The innermost message is whole. */
    void end() {
        int begin = begins[--depth];
        int length = size - begin;
        int more = varintSize(length) - 1;
        if (more > 0) {
            room(more);
            System.arraycopy(bytes, begin, bytes, begin + more, length);
            size += more;
        }
        putVarint(begin - 1, length);
    }

    /** Fields that another writer has written. */
    void fields(ProtoWriter other) {
        room(other.size);
        System.arraycopy(other.bytes, 0, bytes, size, other.size);
        size += other.size;
    }

    /** Bytes so far. */
    int size() {
        return size;
    }

    void clear() {
        size = 0;
    }

    void writeTo(OutputStream out) throws IOException {
        out.write(bytes, 0, size);
    }

    private void tag(int field, int type) {
        room(VARINT_BYTES_MAX);
        size = putVarint(size, ((long) field << TYPE_BITS) | type);
    }

    private int putVarint(int at, long value) {
        int next = at;
        long left = value;
        while ((left & -VARINT_MORE) != 0) {
            bytes[next++] = (byte) (left | VARINT_MORE);
            left >>>= VARINT_BITS;
        }
        bytes[next++] = (byte) left;
        return next;
    }

    private static int varintSize(int value) {
        return (Integer.SIZE - Integer.numberOfLeadingZeros(value | 1) + VARINT_BITS - 1) / VARINT_BITS;
    }

    private void room(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
    }
}
