// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.nio.ByteBuffer;

/**
 * poll(2) over a few files: waits until one of them can be read. Allocates nothing while it waits. Not
 * thread-safe.
 *
 * <p>{@code struct pollfd} is {@code int fd; short events; short revents}.
 */
public final class Poller {
    private static final int ENTRY_SIZE = 8;
    private static final int EVENTS_OFFSET = 4;
    private static final int REVENTS_OFFSET = 6;
    private static final short POLLIN = 0x001;
    private static final int POLLERR_HUP_NVAL = 0x008 | 0x010 | 0x020;

    private NativeBuffer entries = NativeBuffer.allocate(16 * ENTRY_SIZE);
    private int count;

    /** Waits for a data file, too; returns its index for {@link #isReady}. */
    public int add(DataFile file) {
        return add(file.fd());
    }

    /** Waits for a flag, too; returns its index for {@link #isReady}. */
    public int add(EventFd flag) {
        return add(flag.fd());
    }

    /** Waits for a socket, too; returns its index for {@link #isReady}. */
    public int add(NetlinkSocket socket) {
        return add(socket.fd());
    }

    private int add(int fd) {
        if ((count + 1) * ENTRY_SIZE > entries.size()) {
            NativeBuffer larger = NativeBuffer.allocate(entries.size() * 2);
            larger.bytes().put(0, entries.bytes(), 0, entries.size());
            entries = larger;
        }
        int at = count * ENTRY_SIZE;
        ByteBuffer bytes = entries.bytes();
        bytes.putInt(at, fd);
        bytes.putShort(at + EVENTS_OFFSET, POLLIN);
        bytes.putShort(at + REVENTS_OFFSET, (short) 0);
        return count++;
    }

    /** No longer waits for the file at an index; other indexes stay as they are. */
    public void remove(int index) {
        int at = checked(index);
        // The kernel ignores entries with a negative descriptor.
        entries.bytes().putInt(at, -1);
        entries.bytes().putShort(at + REVENTS_OFFSET, (short) 0);
    }

    /** Forgets all files. */
    public void clear() {
        count = 0;
    }

    /**
     * Waits.
     *
     * @param timeoutMs longest wait in milliseconds; 0 does not wait, -1 waits for ever
     * @return how many are ready; 0 also when a signal ended the wait early
     */
    public int poll(int timeoutMs) throws OsException {
        int ready = Libc.poll(entries.address(0, count * ENTRY_SIZE), count, timeoutMs);
        if (ready >= 0) {
            return ready;
        }
        int errno = Libc.errno();
        if (errno != Errno.EINTR.number()) {
            throw new OsException("poll", errno);
        }
        for (int i = 0; i < count; i++) {
            entries.bytes().putShort(i * ENTRY_SIZE + REVENTS_OFFSET, (short) 0);
        }
        return 0;
    }

    /** Whether a read would not wait: there is something to read, the end, or an error. */
    public boolean isReady(int index) {
        int returned = entries.bytes().getShort(checked(index) + REVENTS_OFFSET);
        return (returned & (POLLIN | POLLERR_HUP_NVAL)) != 0;
    }

    private int checked(int index) {
        if (index < 0 || index >= count) {
            throw new IndexOutOfBoundsException("index=" + index + " count=" + count);
        }
        return index * ENTRY_SIZE;
    }
}
