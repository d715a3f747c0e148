// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory outside the heap for system calls to write to, in the machine's byte order.
 *
 * <p>It is a direct buffer's and lives as long as this object or the buffer does: a use after free, which would
 * end the JVM, cannot be written. Counts against {@code -XX:MaxDirectMemorySize}.
 */
public final class NativeBuffer {
    private final ByteBuffer bytes;
    private final long address;

    private NativeBuffer(ByteBuffer bytes) {
        this.bytes = bytes;
        this.address = Libc.addressOf(bytes);
    }

    /** A buffer of zeros. */
    public static NativeBuffer allocate(int size) {
        Libc.require();
        return new NativeBuffer(ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder()));
    }

    /** The bytes; reads and writes at an index do not move them. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** Bytes that it has. */
    public int size() {
        return bytes.capacity();
    }

    /** Where a range of it lies in memory. */
    long address(int offset, int length) {
        if (offset < 0 || length < 0 || length > bytes.capacity() - offset) {
            throw new IndexOutOfBoundsException(
                    "not a range of the buffer: offset=" + offset + " length=" + length + " size=" + bytes.capacity());
        }
        return address + offset;
    }
}
